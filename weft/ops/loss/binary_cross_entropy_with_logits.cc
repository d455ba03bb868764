// binary_cross_entropy_with_logits: without overflow, and exact for sure answers.
#include "weft/op/apply.h"
#include "weft/ops/loss/loss.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

// -log(1 - sigmoid(x)) is x + softplus(-x), so both logarithms are in one.
Tensors compose_with_logits(const LossAttrs& at, TensorSpan in) {
  const auto [input, target] = loss_inputs("binary_cross_entropy_with_logits", in);
  const Tensor softplus = logaddexp(-input, 0.0);
  const bool has_positive = in.size() > 3 && in[3].defined();
  Tensor losses = (1.0 - target) * input;
  losses = losses + (has_positive ? ((in[3] - 1.0) * target + 1.0) * softplus : softplus);
  if (in.size() > 2 && in[2].defined()) losses = losses * in[2];
  return {reduced_loss("binary_cross_entropy_with_logits", losses, at.reduction)};
}

}  // namespace

constinit const CompositeDef kBinaryCrossEntropyWithLogits{
    .name = "binary_cross_entropy_with_logits",
    .module = "nn",
    .doc =
        "`-(pos_weight * target * log(s) + (1 - target) * log(1 - s))` times `weight`, with `s = "
        "sigmoid(input)`, for any logits; of these the mean, the sum or, with \"none\", all.",
    .inputs = {"input: floating", "target: like input", "weight?: like input",
               "pos_weight?: like input"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<LossAttrs>(),
    .laws = {kLossShapeLaw, kReductionLaw},
    .compose = rule<compose_with_logits>(),
    .known_as = {Alias{"torch", "nn.functional.binary_cross_entropy_with_logits"},
                 Alias{"tf", "nn.sigmoid_cross_entropy_with_logits"},
                 Alias{"optax", "sigmoid_binary_cross_entropy"}},
};

Tensor nn::binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                            const Tensor& weight, const Tensor& pos_weight,
                                            Reduction reduction, Where where) {
  return compose(kBinaryCrossEntropyWithLogits, inputs(input, target, weight, pos_weight),
                 LossAttrs{reduction_text(reduction)}, where);
}

}  // namespace weft
