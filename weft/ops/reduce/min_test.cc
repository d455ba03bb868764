// Samples of min.
#include "weft/ops/reduce/reduce_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(min) { extremum_tests(t); }
