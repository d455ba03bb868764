// Samples of poisson_nll_loss.
#include "weft/ops/loss/loss_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(nn__poisson_nll_loss) {
  loss_samples(t);
  t.sample({in({3, 4}, 0.5, 2), in({3, 4}, 1, 5)}, "log_input=false, full=true");
  t.sample({in({3, 4}), in({3, 4}, 0, 5)}, "full=true");
  t.reference([](const Attrs& at, const Arrays& in) {
    return loss_reference(at, in, [&](long double x, long double y) -> long double {
      const bool is_log = at.get<bool>("log_input");
      const long double stirling =
          y > 1 ? y * std::log(y) - y + std::log(6.283185307179586L * y) / 2 : 0;
      return (is_log ? std::exp(x) - y * x : x - y * std::log(x + 1e-8L)) +
             (at.get<bool>("full") ? stirling : 0);
    });
  });
  loss_errors(t, "poisson_nll_loss", {in({3}), in({3})});
  shape_error(t, "poisson_nll_loss", {in({3, 1}), in({3})});
}
