// Samples of radam's updates.
#include "weft/ops/optim/update_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(optim__radam__update) { sample_update(t, "radam.update", 9, 4); }
