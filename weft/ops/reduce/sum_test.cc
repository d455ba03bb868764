// Samples of sum.
#include "weft/ops/reduce/reduce_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(sum) {
  axis_samples(t, in);
  t.sample({in({0, 3})}, "axis=[0]");
  t.sample({in({0, 3})}, "axis=[1]");
  axis_errors(t);
}
