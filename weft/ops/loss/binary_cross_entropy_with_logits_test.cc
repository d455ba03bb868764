// Samples of binary_cross_entropy_with_logits.
#include "weft/ops/loss/loss_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(nn__binary_cross_entropy_with_logits) {
  loss_samples(t);
  t.sample({in({3, 4}, -90, 90), in({3, 4}, 0, 1)});
  t.reference([](const Attrs& at, const Arrays& in) {
    return loss_reference(at, in, [&](long double x, long double y) -> long double {
      const long double softplus = std::log1p(std::exp(-std::fabs(x))) + std::fmax(-x, 0.0L);
      return (1 - y) * x + softplus;
    });
  });
  loss_errors(t, "binary_cross_entropy_with_logits", {in({3}), in({3})});
  shape_error(t, "binary_cross_entropy_with_logits", {in({3, 1}), in({3})});
}
