// Losses with options of their own.
#include "weft/nn/loss.h"

namespace weft::nn {

std::string detail::with_reduction(Words words, Reduction reduction) {
  return words.add_unless(std::string("mean"), "reduction", reduction_text(reduction)).text();
}

Variable detail::weights_buffer(std::string_view name, const Tensor& weights) {
  return weights.defined() ? Variable(weights, {.name = name, .trainable = false}) : Variable();
}

using detail::with_reduction;

Tensor SmoothL1Loss::forward(const Tensor& input, const Tensor& target, Where where) const {
  const Tensor x = lifted(input), y = lifted(target);
  return smooth_l1_loss(x, y, options.beta, options.reduction, where);
}
std::string SmoothL1Loss::extra_repr() const {
  return with_reduction(Words().add_unless(1.0, "beta", options.beta), options.reduction);
}

Tensor HuberLoss::forward(const Tensor& input, const Tensor& target, Where where) const {
  const Tensor x = lifted(input), y = lifted(target);
  return huber_loss(x, y, options.delta, options.reduction, where);
}
std::string HuberLoss::extra_repr() const {
  return with_reduction(Words().add_unless(1.0, "delta", options.delta), options.reduction);
}

Tensor KLDivLoss::forward(const Tensor& input, const Tensor& target, Where where) const {
  const Tensor x = lifted(input), y = lifted(target);
  return kl_div(x, y, options.log_target, options.reduction, where);
}
std::string KLDivLoss::extra_repr() const {
  return with_reduction(Words().add_unless(false, "log_target", options.log_target),
                        options.reduction);
}

Tensor PoissonNLLLoss::forward(const Tensor& input, const Tensor& target, Where where) const {
  const Tensor x = lifted(input), y = lifted(target);
  return poisson_nll_loss(x, y, options.log_input, options.full, options.eps, options.reduction,
                          where);
}
std::string PoissonNLLLoss::extra_repr() const {
  return with_reduction(Words()
                            .add_unless(true, "log_input", options.log_input)
                            .add_unless(false, "full", options.full)
                            .add_unless(1e-8, "eps", options.eps),
                        options.reduction);
}

Tensor GaussianNLLLoss::forward(const Tensor& input, const Tensor& target, const Tensor& variance,
                                Where where) const {
  const Tensor x = lifted(input), y = lifted(target), v = lifted(variance);
  return gaussian_nll_loss(x, y, v, options.full, options.eps, options.reduction, where);
}
std::string GaussianNLLLoss::extra_repr() const {
  return with_reduction(
      Words().add_unless(false, "full", options.full).add_unless(1e-6, "eps", options.eps),
      options.reduction);
}

Tensor TripletMarginLoss::forward(const Tensor& anchor, const Tensor& positive,
                                  const Tensor& negative, Where where) const {
  const Tensor x = lifted(anchor), y = lifted(positive), z = lifted(negative);
  return triplet_margin_loss(x, y, z, options.margin, options.p, options.swap, options.reduction,
                             where);
}
std::string TripletMarginLoss::extra_repr() const {
  return with_reduction(Words()
                            .add_unless(1.0, "margin", options.margin)
                            .add_unless(2.0, "p", options.p)
                            .add_unless(false, "swap", options.swap),
                        options.reduction);
}

}  // namespace weft::nn
