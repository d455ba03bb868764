// Samples of log1p.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(log1p) {
  t.sample({in({3, 4}, -0.5, 3)});
  t.sample({in({2, 0}, -0.5, 3)});
  t.sample({in({}, -0.5, 3)});
  t.sample({in({17}, -0.5, 3)});
  t.error("count", {in({2}), in({2})}, "", "log1p: takes 1 input, but got 2 [log1p.count]");
}
