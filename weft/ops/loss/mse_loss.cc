// mse_loss: the mean of squared differences.
#include "weft/op/apply.h"
#include "weft/ops/loss/loss.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Tensors compose_mse_loss(const LossAttrs& at, TensorSpan in) {
  const auto [input, target] = loss_inputs("mse_loss", in);
  return {reduced_loss("mse_loss", square(input - target), at.reduction)};
}

}  // namespace

constinit const CompositeDef kMseLoss{
    .name = "mse_loss",
    .module = "nn",
    .doc = "`(input - target)^2`, and of these the mean, the sum or, with \"none\", all.",
    .inputs = {"input: floating", "target: like input"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<LossAttrs>(),
    .laws = {kLossShapeLaw, kReductionLaw},
    .compose = rule<compose_mse_loss>(),
    .known_as = {Alias{"torch", "nn.functional.mse_loss"}, Alias{"tf", "keras.losses.mse"},
                 Alias{"optax", "squared_error"}},
};

Tensor nn::mse_loss(const Tensor& input, const Tensor& target, Reduction reduction, Where where) {
  return compose(kMseLoss, inputs(input, target), LossAttrs{reduction_text(reduction)}, where);
}

}  // namespace weft
