// Samples of lion's updates.
#include "weft/ops/optim/update_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(optim__lion__update) { sample_update(t, "lion.update", 6, 3); }
