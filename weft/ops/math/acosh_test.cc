// Samples of acosh.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(acosh) {
  t.sample({in({3, 4}, 1.1, 4)});
  t.sample({in({2, 0}, 1.1, 4)});
  t.sample({in({}, 1.1, 4)});
  t.sample({in({17}, 1.1, 4)});

  t.error("count", {in({2}), in({2})}, "", "acosh: takes 1 input, but got 2 [acosh.count]");
}
