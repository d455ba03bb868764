// Samples of rmsprop's updates.
#include "weft/ops/optim/update_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(optim__rmsprop__update) { sample_update(t, "rmsprop.update", 6, 3); }

WEFT_OP_TEST(optim__rmsprop_momentum__update) { sample_update(t, "rmsprop_momentum.update", 7, 4); }

// The squares are large, so that no variance is negative.
static void sample_centered(OpTest& t, const std::string& name, size_t scalars, size_t lists) {
  sample_update(t, name, scalars, lists, 50, 90);
  t.tolerance(16, "derivatives by scalars are sums of squares of up to 90, with either sign");
}

WEFT_OP_TEST(optim__rmsprop_centered__update) {
  sample_centered(t, "rmsprop_centered.update", 6, 4);
}

WEFT_OP_TEST(optim__rmsprop_centered_momentum__update) {
  sample_centered(t, "rmsprop_centered_momentum.update", 7, 5);
}
