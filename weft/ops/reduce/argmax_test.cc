// Samples of argmax.
#include "weft/ops/reduce/reduce_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(argmax) { arg_tests(t); }
