// hinge_loss: what is missing to a margin of 1.
#include "weft/op/apply.h"
#include "weft/ops/loss/loss.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

Tensors compose_hinge_loss(const LossAttrs& at, TensorSpan in) {
  const auto [input, target] = loss_inputs("hinge_loss", in);
  return {reduced_loss("hinge_loss", relu(1.0 - target * input), at.reduction)};
}

}  // namespace

constinit const CompositeDef kHingeLoss{
    .name = "hinge_loss",
    .module = "nn",
    .doc =
        "`max(0, 1 - target * input)` for targets -1 and 1, and of these the mean, the sum or, "
        "with "
        "\"none\", all. At the hinge the derivative is 0.",
    .inputs = {"input: floating", "target: like input"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<LossAttrs>(),
    .laws = {kLossShapeLaw, kReductionLaw},
    .compose = rule<compose_hinge_loss>(),
    .known_as = {Alias{"tf", "keras.losses.hinge"}, Alias{"optax", "hinge_loss"}},
};

Tensor nn::hinge_loss(const Tensor& input, const Tensor& target, Reduction reduction, Where where) {
  return compose(kHingeLoss, inputs(input, target), LossAttrs{reduction_text(reduction)}, where);
}

}  // namespace weft
