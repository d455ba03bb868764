// Samples of mse_loss.
#include "weft/ops/loss/loss_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(nn__mse_loss) {
  loss_samples(t);
  t.reference([](const Attrs& at, const Arrays& in) {
    return loss_reference(
        at, in, [&](long double x, long double y) -> long double { return (x - y) * (x - y); });
  });
  loss_errors(t, "mse_loss", {in({3}), in({3})});
  shape_error(t, "mse_loss", {in({3, 1}), in({3})});
}
