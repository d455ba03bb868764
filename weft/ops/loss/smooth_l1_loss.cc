// smooth_l1_loss: absolute differences, rounded off at 0.
#include "weft/op/apply.h"
#include "weft/ops/loss/loss.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

struct SmoothL1Attrs {
  double beta = 1;
  std::string reduction = "mean";
  static constexpr auto fields =
      fields_of(field("beta", &SmoothL1Attrs::beta, "where squares end and lines begin"),
                field("reduction", &SmoothL1Attrs::reduction,
                      "\"mean\", \"sum\", or \"none\" for all of them"));
};

Tensors compose_smooth_l1_loss(const SmoothL1Attrs& at, TensorSpan in) {
  InferCtx{"smooth_l1_loss"}.require(at.beta >= 0, "beta", "beta is ", at.beta,
                                     "; it must be at least 0");
  const auto [input, target] = loss_inputs("smooth_l1_loss", in);
  const auto reduced = [&](const Tensor& losses) {
    return reduced_loss("smooth_l1_loss", losses, at.reduction);
  };
  if (at.beta == 0) return {reduced(abs(input - target))};
  return {reduced(huber_each(input, target, at.beta)) / at.beta};
}

}  // namespace

constinit const CompositeDef kSmoothL1Loss{
    .name = "smooth_l1_loss",
    .module = "nn",
    .doc =
        "With `d = |input - target|`: `d^2 / (2 beta)` up to `beta`, `d - beta / 2` beyond, which "
        "is huber_loss divided by beta, and l1_loss for beta 0; of these the mean, the sum or, "
        "with "
        "\"none\", all.",
    .inputs = {"input: floating", "target: like input"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<SmoothL1Attrs>(),
    .laws = {kLossShapeLaw, kReductionLaw, Law{"beta", "`beta` is at least 0"}},
    .compose = rule<compose_smooth_l1_loss>(),
    .known_as = {Alias{"torch", "nn.functional.smooth_l1_loss"}},
};

Tensor nn::smooth_l1_loss(const Tensor& input, const Tensor& target, double beta,
                          Reduction reduction, Where where) {
  return compose(kSmoothL1Loss, inputs(input, target),
                 SmoothL1Attrs{beta, reduction_text(reduction)}, where);
}

}  // namespace weft
