// Samples of adagrad's updates.
#include "weft/ops/optim/update_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(optim__adagrad__update) { sample_update(t, "adagrad.update", 4, 3); }
