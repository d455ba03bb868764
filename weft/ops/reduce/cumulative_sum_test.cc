// Samples of cumulative_sum.
#include "weft/ops/reduce/reduce_reference.h"
#include "weft/ops/reduce/reduce_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(cumulative_sum) {
  cumulative_tests(t, 2);
  t.reference([](const Attrs& at, const Arrays& in) {
    return cumulative_reference(at, in[0], plus, {0, 0, 0});
  });
}

WEFT_OP_TEST(cumulative_sum__scan) {
  scan_tests(t, "cumulative_sum.scan", 2);
  t.sample({in({2, 100}, 0, 1)}, "axis=1");
  t.reference(
      [](const Attrs& at, const Arrays& in) { return scan_reference(at, in[0], plus, {0, 0, 0}); });
}
