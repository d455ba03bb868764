// Samples of abs.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(abs) {
  t.sample({in({3, 4}, 0.1, 3)});
  t.sample({in({5}, -3, -0.1)});
  t.sample({in({}, 0.1, 3)});
  t.sample({in({0, 3})});
  t.error("count", {in({2}), in({2})}, "", "abs: takes 1 input, but got 2 [abs.count]");
}
