// Samples of cos.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(cos) {
  t.sample({in({3, 4}, -5, 5)});
  t.sample({in({2, 0}, -5, 5)});
  t.sample({in({}, -5, 5)});
  t.sample({in({17}, -5, 5)});
  t.error("count", {in({2}), in({2})}, "", "cos: takes 1 input, but got 2 [cos.count]");
}
