// Samples of tan.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(tan) {
  t.sample({in({3, 4}, -1, 1)});
  t.sample({in({2, 0}, -1, 1)});
  t.sample({in({}, -1, 1)});
  t.sample({in({17}, -1, 1)});
  t.error("count", {in({2}), in({2})}, "", "tan: takes 1 input, but got 2 [tan.count]");
}
