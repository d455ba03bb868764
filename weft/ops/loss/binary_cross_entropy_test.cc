// Samples of binary_cross_entropy.
#include "weft/ops/loss/loss_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(nn__binary_cross_entropy) {
  loss_samples(t, 0.05, 0.95);
  t.kink({exactly({3}, {0, 1, 0.5}), exactly({3}, {1, 1, 0.25})}, "",
         "a logarithm is cut off at -100");
  t.reference([](const Attrs& at, const Arrays& in) {
    return loss_reference(at, in, [&](long double x, long double y) -> long double {
      return -(y * at_least(-100.0L, std::log(x)) + (1 - y) * at_least(-100.0L, std::log1p(-x)));
    });
  });
  loss_errors(t, "binary_cross_entropy", {in({3}), in({3})});
  shape_error(t, "binary_cross_entropy", {in({3, 1}), in({3})});
}
