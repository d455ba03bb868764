// Samples of smooth_l1_loss.
#include "weft/ops/loss/loss_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(nn__smooth_l1_loss) {
  loss_samples(t);
  t.sample({in({3, 4}, -3, 3), in({3, 4}, 0.1, 0.9)}, "beta=0.5");
  t.sample({in({3, 4}, -3, 3), in({3, 4}, 0.1, 0.9)}, "beta=0");
  t.reference([](const Attrs& at, const Arrays& in) {
    return loss_reference(at, in, [&](long double x, long double y) -> long double {
      const long double d = std::fabs(x - y), beta = at.get<double>("beta");
      return d < beta ? d * d / (2 * beta) : d - beta / 2;
    });
  });
  loss_errors(t, "smooth_l1_loss", {in({3}), in({3})});
  shape_error(t, "smooth_l1_loss", {in({3, 1}), in({3})});
  t.error("beta", {in({3}), in({3})}, "beta=-1",
          "smooth_l1_loss: beta is -1.0; it must be at least 0 [smooth_l1_loss.beta]");
}
