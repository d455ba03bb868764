// Samples of rprop's updates.
#include "weft/ops/optim/update_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(optim__rprop__update) { sample_update(t, "rprop.update", 5, 4); }
