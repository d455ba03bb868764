// Samples of kl_div.
#include "weft/ops/loss/loss_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(nn__kl_div) {
  loss_samples(t, -3, -0.1);
  t.sample({in({3, 4}, -3, -0.1), in({3, 4}, -3, -0.1)}, "log_target=true");
  t.skip("special", "a probability is neither negative nor infinite");
  t.reference([](const Attrs& at, const Arrays& in) {
    return loss_reference(at, in, [&](long double x, long double y) -> long double {
      const bool is_log = at.get<bool>("log_target");
      return is_log ? std::exp(y) * (y - x) : y == 0 ? 0 : y * (std::log(y) - x);
    });
  });
  t.error(
      "reduction", {in({3}), in({3})}, "reduction=\"average\"",
      "kl_div: reduction is \"average\"; it must be \"mean\", \"batchmean\", \"sum\" or \"none\" "
      "[kl_div.reduction]");
  shape_error(t, "kl_div", {in({3, 1}), in({3})});
  t.error("batch", {in({}), in({})}, "reduction=\"batchmean\"",
          "kl_div: input has rank 0; batchmean needs an axis [kl_div.batch]");
}
