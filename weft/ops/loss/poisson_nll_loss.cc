// poisson_nll_loss: how unlikely counts are under a Poisson distribution.
#include "weft/op/apply.h"
#include "weft/ops/loss/loss.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

struct PoissonAttrs {
  bool log_input = true;
  bool full = false;
  double eps = 1e-8;
  std::string reduction = "mean";
  static constexpr auto fields = fields_of(
      field("log_input", &PoissonAttrs::log_input, "is the input the logarithm of the rate?"),
      field("full", &PoissonAttrs::full, "add Stirling's approximation of log(target!)"),
      field("eps", &PoissonAttrs::eps, "added to a rate before its logarithm is taken"),
      field("reduction", &PoissonAttrs::reduction,
            "\"mean\", \"sum\", or \"none\" for all of them"));
};

// log(n!) for n > 1; smaller ones count as 0. The logarithm never sees those.
Tensor stirling(const Tensor& target) {
  const Tensor large = target > 1.0, n = where(large, target, 2.0);
  constexpr double kTwoPi = 6.283185307179586;
  const Tensor last = log(n * kTwoPi) * 0.5;
  return where(large, n * log(n) - n + last, 0.0);
}

Tensors compose_poisson_nll_loss(const PoissonAttrs& at, TensorSpan in) {
  const auto [input, target] = loss_inputs("poisson_nll_loss", in);
  const Tensor expected = target * (at.log_input ? input : log(input + at.eps));
  Tensor losses = (at.log_input ? exp(input) : input) - expected;
  if (at.full) losses = losses + stirling(target);
  return {reduced_loss("poisson_nll_loss", losses, at.reduction)};
}

}  // namespace

constinit const CompositeDef kPoissonNllLoss{
    .name = "poisson_nll_loss",
    .module = "nn",
    .doc =
        "`exp(input) - target * input`, where the input is the logarithm of the rate, or `input - "
        "target * log(input + eps)` where it is the rate; with `full` the constant part too, for "
        "targets above 1. Of these the mean, the sum or, with \"none\", all.",
    .inputs = {"input: floating", "target: like input"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<PoissonAttrs>(),
    .laws = {kLossShapeLaw, kReductionLaw},
    .compose = rule<compose_poisson_nll_loss>(),
    .known_as = {Alias{"torch", "nn.functional.poisson_nll_loss"},
                 Alias{"tf", "keras.losses.poisson"}},
};

Tensor nn::poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full,
                            double eps, Reduction reduction, Where where) {
  return compose(kPoissonNllLoss, inputs(input, target),
                 PoissonAttrs{log_input, full, eps, reduction_text(reduction)}, where);
}

}  // namespace weft
