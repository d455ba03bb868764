// Samples of moments's updates.
#include "weft/ops/optim/update_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(optim__moments__update) { sample_update(t, "moments.update", 4, 3); }
