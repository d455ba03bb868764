// Samples of log10.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(log10) {
  t.sample({in({3, 4}, 0.2, 5)});
  t.sample({in({2, 0}, 0.2, 5)});
  t.sample({in({}, 0.2, 5)});
  t.sample({in({17}, 0.2, 5)});

  t.error("count", {in({2}), in({2})}, "", "log10: takes 1 input, but got 2 [log10.count]");
}
