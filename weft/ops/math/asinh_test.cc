// Samples of asinh.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(asinh) {
  t.sample({in({3, 4}, 0.1, 3)});
  t.sample({in({2, 0}, 0.1, 3)});
  t.sample({in({}, 0.1, 3)});
  t.sample({in({17}, 0.1, 3)});
  t.sample({in({5}, -3, -0.1)});

  t.error("count", {in({2}), in({2})}, "", "asinh: takes 1 input, but got 2 [asinh.count]");
}
