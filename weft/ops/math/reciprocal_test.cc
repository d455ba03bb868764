// Samples of reciprocal.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(reciprocal) {
  t.sample({in({3, 4}, 0.3, 3)});
  t.sample({in({2, 0}, 0.3, 3)});
  t.sample({in({}, 0.3, 3)});
  t.sample({in({17}, 0.3, 3)});
  t.error("count", {in({2}), in({2})}, "",
          "reciprocal: takes 1 input, but got 2 [reciprocal.count]");
}
