// binary_cross_entropy: of probabilities.
#include "weft/op/apply.h"
#include "weft/ops/loss/loss.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

constexpr double kLeastLog = -100;  // so that a sure and wrong answer costs 100, not infinity

Tensors compose_binary_cross_entropy(const LossAttrs& at, TensorSpan in) {
  const auto [input, target] = loss_inputs("binary_cross_entropy", in);
  const Tensor yes = maximum(log(input), kLeastLog);
  const Tensor no = maximum(log1p(-input), kLeastLog);
  const Tensor likely = target * yes;
  Tensor losses = (target - 1.0) * no - likely;
  if (in.size() > 2) losses = losses * in[2];
  return {reduced_loss("binary_cross_entropy", losses, at.reduction)};
}

}  // namespace

constinit const CompositeDef kBinaryCrossEntropy{
    .name = "binary_cross_entropy",
    .module = "nn",
    .doc =
        "`-(target * log(input) + (1 - target) * log(1 - input))` times `weight`, for "
        "probabilities between 0 and 1 (others give NaN); of these the mean, the sum or, with "
        "\"none\", all. A logarithm counts as -100 where it is less, with derivative 0; with "
        "logits, binary_cross_entropy_with_logits needs no such limit.",
    .inputs = {"input: floating", "target: like input", "weight?: like input"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<LossAttrs>(),
    .laws = {kLossShapeLaw, kReductionLaw},
    .compose = rule<compose_binary_cross_entropy>(),
    .known_as = {Alias{"torch", "nn.functional.binary_cross_entropy"},
                 Alias{"tf", "keras.losses.binary_crossentropy"}},
};

Tensor nn::binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight,
                                Reduction reduction, Where where) {
  return compose(kBinaryCrossEntropy, inputs(input, target, weight),
                 LossAttrs{reduction_text(reduction)}, where);
}

}  // namespace weft
