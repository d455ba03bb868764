// Samples of round.whole.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(round__whole) {
  t.sample({exactly({7}, {-2.7, -1.2, -0.3, 0.3, 0.8, 1.4, 2.9})});
  t.sample({in({2, 0})});
  t.sample({exactly({}, {1.3})});
  t.sample({in({4, 5}, 3.1, 3.4)});
  t.error("count", {in({2}), in({2})}, "",
          "round.whole: takes 1 input, but got 2 [round.whole.count]");
}
