// Samples of huber_loss.each.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(nn__huber_loss__each) {
  t.sample({in({3, 4}, -3, 3), in({3, 4}, 0.1, 0.9), in({3, 4}, 0.5, 1)});
  t.sample({in({3, 4}, -3, -2), in({4}, 0.1, 0.9), exactly({}, {1})});
  t.sample({in({0, 3}), in({3}), exactly({}, {1})});
  t.error(
      "broadcast", {in({3, 4}), in({3}), in({})}, "",
      "huber_loss.each: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; sizes "
      "must be equal or 1 [huber_loss.each.broadcast]");
}
