// Samples of max.
#include "weft/ops/reduce/reduce_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(max) { extremum_tests(t); }
