// Samples of lerp.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(lerp) {
  t.sample({in({3, 4}), in({3, 4}), in({3, 4}, 0, 0.45)});
  t.sample({in({3, 1}), in({4}), in({}, 0.6, 0.9)});
  t.sample({in({2, 3}), in({2, 3}), in({3}, 1.1, 2)});
  t.sample({in({0, 3}), in({3}), in({}, -2, 0)});
  t.error("broadcast", {in({3, 4}), in({3}), in({})}, "",
          "lerp: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; sizes must be "
          "equal or 1 [lerp.broadcast]");
  t.error("count", {in({2})}, "", "lerp: takes 3 inputs, but got 1 [lerp.count]");
}
