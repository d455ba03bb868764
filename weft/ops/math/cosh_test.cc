// Samples of cosh.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(cosh) {
  t.sample({in({3, 4}, -3, 3)});
  t.sample({in({2, 0}, -3, 3)});
  t.sample({in({}, -3, 3)});
  t.sample({in({17}, -3, 3)});

  t.error("count", {in({2}), in({2})}, "", "cosh: takes 1 input, but got 2 [cosh.count]");
}
