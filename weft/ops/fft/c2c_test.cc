// Samples of fft.c2c.
#include "weft/ops/fft/fft_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  const int sign = at.get<bool>("inverse") ? 1 : -1;
  return {each_line(in[0], at.get<int64_t>("axis"), in[0].dtype, [&](const auto& x) {
    return summed(x, static_cast<int64_t>(x.size()), sign, at.get<double>("scale"));
  })};
}

WEFT_OP_TEST(fft__c2c) {
  t.skip("special", "what an infinity leaves of the others depends on which sums it meets first");
  for (int64_t n : {1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 30, 67, 77}) t.sample({in({n})});
  t.sample({in({3, 8})}, "inverse=true, scale=0.125");
  t.sample({in({4, 3, 2})}, "axis=0");
  t.sample({in({2, 5, 3})}, "axis=1, inverse=true");
  t.sample({in({0, 3})});
  t.large({in({40, 360})});
  t.large({in({131, 30})}, "axis=0, inverse=true");
  t.reference(reference);
  t.tolerance(8, "sums of as many products as the axis is long");
  t.error("axis", {in({3})}, "axis=1",
          "c2c: axis 1 is out of range for shape [3]; axes go from -1 to 0 [c2c.axis]");
  t.error("length", {in({2, 0})}, "",
          "c2c: the length of the transform is 0; it must be at least 1 [c2c.length]");
}
