// Samples of rmsprop's updates.
#include "weft/ops/optim/update_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(optim__rmsprop__update) { sample_update(t, "rmsprop.update", 6, 3); }

WEFT_OP_TEST(optim__rmsprop_momentum__update) { sample_update(t, "rmsprop_momentum.update", 7, 4); }

WEFT_OP_TEST(optim__rmsprop_centered__update) {
  sample_update(t, "rmsprop_centered.update", 6, 4, 50, 90);
}

WEFT_OP_TEST(optim__rmsprop_centered_momentum__update) {
  sample_update(t, "rmsprop_centered_momentum.update", 7, 5, 50, 90);
}
