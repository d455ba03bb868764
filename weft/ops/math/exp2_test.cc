// Samples of exp2.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(exp2) {
  t.sample({in({3, 4}, -3, 3)});
  t.sample({in({2, 0}, -3, 3)});
  t.sample({in({}, -3, 3)});
  t.sample({in({17}, -3, 3)});

  t.error("count", {in({2}), in({2})}, "", "exp2: takes 1 input, but got 2 [exp2.count]");
}
