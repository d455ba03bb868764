// Samples of gaussian_nll_loss.
#include "weft/ops/loss/loss_samples.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  Array losses = like(in[0], in[0].shape);
  const size_t each = in[2].values.empty() ? 1 : losses.values.size() / in[2].values.size();
  for (size_t i = 0; i < losses.values.size(); ++i) {
    const long double v = std::fmax(in[2].values[i / each].re, at.get<double>("eps"));
    const long double d = in[0].values[i].re - in[1].values[i].re;
    losses.values[i].re = (std::log(v) + d * d / v) / 2;
    if (at.get<bool>("full")) losses.values[i].re += std::log(6.283185307179586477L) / 2;
  }
  return reduced(at, losses);
}

WEFT_OP_TEST(nn__gaussian_nll_loss) {
  t.sample({in({3, 4}), in({3, 4}), in({3, 4}, 0.5, 2)});
  t.sample({in({3, 4}), in({3, 4}), in({3, 1}, 0.5, 2)}, "full=true, reduction=\"none\"");
  t.sample({in({3, 4}), in({3, 4}), in({3, 4}, -2, -1)}, "eps=0.25, reduction=\"sum\"");
  t.large({in({300, 301}), in({300, 301}), in({300, 301}, 0.5, 2)});
  t.reference(reference);
  t.skip("special", "the reference's least variance knows no NaN");
  loss_errors(t, "gaussian_nll_loss", {in({3}), in({3}), in({3})});
  shape_error(t, "gaussian_nll_loss", {in({3, 1}), in({3}), in({3})});
  t.error("variance", {in({3}), in({3}), in({2, 3})}, "",
          "gaussian_nll_loss: variance has shape [2, 3] but input has shape [3]; it must broadcast "
          "to the input's [gaussian_nll_loss.variance]");
}
