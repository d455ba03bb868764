// Samples of stop_gradient.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

WEFT_OP_TEST(stop_gradient) {
  t.sample({in({3, 4})});
  t.sample({in({})});
  t.reference([](const Attrs&, const Arrays& in) -> Arrays { return {in[0]}; });
}
