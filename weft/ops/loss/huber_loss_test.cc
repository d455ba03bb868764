// Samples of huber_loss.
#include "weft/ops/loss/loss_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(nn__huber_loss) {
  loss_samples(t);
  t.sample({in({3, 4}, -3, 3), in({3, 4}, 0.1, 0.9)}, "delta=0.5");
  t.reference([](const Attrs& at, const Arrays& in) {
    return loss_reference(at, in, [&](long double x, long double y) -> long double {
      const long double d = std::fabs(x - y), delta = at.get<double>("delta");
      return d <= delta ? d * d / 2 : delta * (d - delta / 2);
    });
  });
  loss_errors(t, "huber_loss", {in({3}), in({3})});
  shape_error(t, "huber_loss", {in({3, 1}), in({3})});
  t.error("delta", {in({3}), in({3})}, "delta=0",
          "huber_loss: delta is 0.0; it must be greater than 0 [huber_loss.delta]");
}
