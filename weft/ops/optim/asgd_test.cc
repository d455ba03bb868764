// Samples of asgd's updates.
#include "weft/ops/optim/update_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(optim__asgd__update) { sample_update(t, "asgd.update", 5, 3); }
