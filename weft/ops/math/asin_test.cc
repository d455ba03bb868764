// Samples of asin.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(asin) {
  t.sample({in({3, 4}, -0.9, 0.9)});
  t.sample({in({2, 0}, -0.9, 0.9)});
  t.sample({in({}, -0.9, 0.9)});
  t.sample({in({17}, -0.9, 0.9)});

  t.error("count", {in({2}), in({2})}, "", "asin: takes 1 input, but got 2 [asin.count]");
}
