// Samples of adadelta's updates.
#include "weft/ops/optim/update_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(optim__adadelta__update) { sample_update(t, "adadelta.update", 6, 4); }
