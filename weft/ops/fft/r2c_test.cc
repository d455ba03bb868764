// Samples of fft.r2c.
#include "weft/ops/fft/fft_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  const DType dtype = complex_like(in[0].dtype);
  return {each_line(in[0], at.get<int64_t>("axis"), dtype, [&](const auto& x) {
    return first_half(summed(x, static_cast<int64_t>(x.size()), -1, at.get<double>("scale")));
  })};
}

WEFT_OP_TEST(fft__r2c) {
  t.skip("special", "what an infinity leaves of the others depends on which sums it meets first");
  for (int64_t n : {1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 134}) t.sample({in({n})});
  t.sample({in({3, 8})}, "scale=0.125");
  t.sample({in({4, 3, 2})}, "axis=0");
  t.sample({in({2, 5, 3})}, "axis=1");
  t.sample({in({0, 3})});
  t.large({in({40, 360})});
  t.large({in({131, 30})}, "axis=0");
  t.reference(reference);
  t.tolerance(8, "sums of as many products as the axis is long");
  t.error("length", {in({2, 0})}, "",
          "r2c: the length of the transform is 0; it must be at least 1 [r2c.length]");
}
