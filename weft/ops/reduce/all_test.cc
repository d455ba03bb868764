// Samples of all.
#include "weft/ops/reduce/reduce_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(all) { truth_tests(t); }
