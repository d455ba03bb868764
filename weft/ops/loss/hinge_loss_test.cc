// Samples of hinge_loss.
#include "weft/ops/loss/loss_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(nn__hinge_loss) {
  loss_samples(t);
  t.reference([](const Attrs& at, const Arrays& in) {
    return loss_reference(at, in, [&](long double x, long double y) -> long double {
      return at_least(0.0L, 1 - x * y);
    });
  });
  loss_errors(t, "hinge_loss", {in({3}), in({3})});
  shape_error(t, "hinge_loss", {in({3, 1}), in({3})});
}
