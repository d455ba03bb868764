// Samples of nadam's updates.
#include "weft/ops/optim/update_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(optim__nadam__update) { sample_update(t, "nadam.update", 10, 4); }
