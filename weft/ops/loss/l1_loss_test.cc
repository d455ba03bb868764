// Samples of l1_loss.
#include "weft/ops/loss/loss_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(nn__l1_loss) {
  loss_samples(t);
  t.reference([](const Attrs& at, const Arrays& in) {
    return loss_reference(
        at, in, [&](long double x, long double y) -> long double { return std::fabs(x - y); });
  });
  loss_errors(t, "l1_loss", {in({3}), in({3})});
  shape_error(t, "l1_loss", {in({3, 1}), in({3})});
}
