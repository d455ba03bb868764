// Samples of logical_not.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(logical_not) {
  t.sample({in({3, 4}, -2, 2)});
  t.sample({in({2, 0}, -2, 2)});
  t.sample({in({}, -2, 2)});
  t.sample({in({17}, -2, 2)});
  t.error("count", {in({2}), in({2})}, "",
          "logical_not: takes 1 input, but got 2 [logical_not.count]");
}
