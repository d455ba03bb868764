// Samples of any.
#include "weft/ops/reduce/reduce_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(any) { truth_tests(t); }
