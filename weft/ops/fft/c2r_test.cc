// Samples of fft.c2r.
#include "weft/ops/fft/fft_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  const auto n = at.get<int64_t>("n");
  const DType dtype = real_like(in[0].dtype);
  return {each_line(in[0], at.get<int64_t>("axis"), dtype, [&](const auto& x) {
    return summed(completed(x, n), n, 1, at.get<double>("scale"));
  })};
}

WEFT_OP_TEST(fft__c2r) {
  t.skip("special", "what an infinity leaves of the others depends on which sums it meets first");
  for (int64_t n : {1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 134}) {
    t.sample({in({n / 2 + 1})}, "n=" + std::to_string(n));
  }
  t.sample({in({3, 5})}, "n=8, scale=0.125");
  t.sample({in({4, 3, 2})}, "n=7, axis=0");
  t.sample({in({2, 5, 3})}, "n=9, axis=1");
  t.sample({in({0, 3})}, "n=4");
  t.large({in({40, 181})}, "n=360");
  t.large({in({66, 30})}, "n=131, axis=0");
  t.reference(reference);
  t.tolerance(8, "sums of as many products as the axis is long");
  t.error("length", {in({2, 1})}, "n=0",
          "c2r: the length of the transform is 0; it must be at least 1 [c2r.length]");
  t.error("half", {in({2, 4})}, "n=5",
          "c2r: axis -1 has 4 elements, but 5 numbers come of 3 [c2r.half]");
}
