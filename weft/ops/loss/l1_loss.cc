// l1_loss: the mean of absolute differences.
#include "weft/op/apply.h"
#include "weft/ops/loss/loss.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Tensors compose_l1_loss(const LossAttrs& at, TensorSpan in) {
  const auto [input, target] = loss_inputs("l1_loss", in);
  return {reduced_loss("l1_loss", abs(input - target), at.reduction)};
}

}  // namespace

constinit const CompositeDef kL1Loss{
    .name = "l1_loss",
    .module = "nn",
    .doc =
        "`|input - target|`, and of these the mean, the sum or, with \"none\", all. Where they are "
        "equal the derivative is 0.",
    .inputs = {"input: floating", "target: like input"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<LossAttrs>(),
    .laws = {kLossShapeLaw, kReductionLaw},
    .compose = rule<compose_l1_loss>(),
    .known_as = {Alias{"torch", "nn.functional.l1_loss"}, Alias{"tf", "keras.losses.mae"}},
};

Tensor nn::l1_loss(const Tensor& input, const Tensor& target, Reduction reduction, Where where) {
  return compose(kL1Loss, inputs(input, target), LossAttrs{reduction_text(reduction)}, where);
}

}  // namespace weft
