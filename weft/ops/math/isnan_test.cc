// Samples of isnan.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(isnan) {
  t.sample({in({3, 4}, -2, 2)});
  t.sample({in({2, 0}, -2, 2)});
  t.sample({in({}, -2, 2)});
  t.sample({in({17}, -2, 2)});
  t.error("count", {in({2}), in({2})}, "", "isnan: takes 1 input, but got 2 [isnan.count]");
}
