// Samples of sgd's updates.
#include "weft/ops/optim/update_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(optim__sgd__update) { sample_update(t, "sgd.update", 3, 2); }

WEFT_OP_TEST(optim__momentum__update) { sample_update(t, "momentum.update", 5, 3); }

WEFT_OP_TEST(optim__nesterov__update) { sample_update(t, "nesterov.update", 5, 3); }
