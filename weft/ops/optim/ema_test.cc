// Samples of ema's updates.
#include "weft/ops/optim/update_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(optim__ema__update) { sample_update(t, "ema.update", 1, 2); }
