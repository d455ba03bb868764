// Samples of argmin.
#include "weft/ops/reduce/reduce_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(argmin) { arg_tests(t); }
