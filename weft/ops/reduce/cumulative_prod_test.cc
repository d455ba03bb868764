// Samples of cumulative_prod.
#include "weft/ops/reduce/reduce_reference.h"
#include "weft/ops/reduce/reduce_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(cumulative_prod) {
  t.skip("zero", "0 times an infinite element is NaN, in the gradient as in the product");
  cumulative_tests(t, 1);
  t.reference([](const Attrs& at, const Arrays& in) {
    return cumulative_reference(at, in[0], is_complex(in[0].dtype) ? times : real_times, {1, 0, 1});
  });
}

WEFT_OP_TEST(cumulative_prod__scan) {
  t.skip("zero", "0 times an infinite element is NaN, in the gradient as in the product");
  scan_tests(t, "cumulative_prod.scan", 1);
  t.sample({in({2, 300}, -1, 1)}, "axis=1");
  // Zeros in a line: the gradient divides by nothing.
  t.sample({exactly({2, 4}, {2, 0, 3, 4, 0, 0, 5, 1})}, "axis=1");
  t.reference([](const Attrs& at, const Arrays& in) {
    return scan_reference(at, in[0], is_complex(in[0].dtype) ? times : real_times, {1, 0, 1});
  });
}
