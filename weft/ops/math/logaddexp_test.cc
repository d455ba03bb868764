// Samples of logaddexp.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(logaddexp) {
  t.sample({in({3, 4}), in({3, 4})});
  t.sample({in({3, 4}, -50, 50), in({4}, -50, 50)});
  t.sample({in({}), in({2, 3})});
  t.error("broadcast", {in({3, 4}), in({3})}, "",
          "logaddexp: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; sizes must "
          "be equal or 1 "
          "[logaddexp.broadcast]");
}
