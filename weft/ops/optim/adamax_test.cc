// Samples of adamax's updates.
#include "weft/ops/optim/update_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(optim__adamax__update) { sample_update(t, "adamax.update", 6, 4); }
