// Samples of adam's updates.
#include "weft/ops/optim/update_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(optim__adam__update) { sample_update(t, "adam.update", 9, 4); }

WEFT_OP_TEST(optim__amsgrad__update) { sample_update(t, "amsgrad.update", 9, 5); }
