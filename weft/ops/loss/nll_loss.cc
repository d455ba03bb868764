// nll_loss: the negative log-probability of the class that was the case.
#include "weft/op/apply.h"
#include "weft/ops/loss/classes.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Tensors compose_nll_loss(const ClassAttrs& at, TensorSpan in) {
  const ClassRows classes("nll_loss", in, at.axis, at.ignore_index);
  const Tensor losses = -gather(classes.rows, classes.labels, -1);
  return {classes.reduced("nll_loss", weighted_by(classes.weights, losses), at.reduction)};
}

}  // namespace

constinit const CompositeDef kNllLoss{
    .name = "nll_loss",
    .module = "nn",
    .doc =
        "`-input[target]` along `axis`, for log-probabilities and the number of the class of each "
        "example, times the `weight` of that class; of these the sum, with \"none\" all, or the "
        "mean: their sum by the sum of the weights. Examples whose target is `ignore_index` count "
        "nothing.",
    .inputs = {"input: floating", "target: integer", "weight?: like input"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<ClassAttrs>(),
    .laws = {Law{"target", "`target` has the shape of `input` without the axis of the classes"},
             kClassWeightLaw, kReductionLaw, Law{"range", "numbers of classes are in range"}},
    .compose = rule<compose_nll_loss>(),
    .known_as = {Alias{"torch",
                       "nn.functional.nll_loss: its classes stand on axis 1, ours on the last; "
                       "ours ignores no index unless told"}},
};

Tensor nn::nll_loss(const Tensor& log_probabilities, const Tensor& target, const Tensor& weight,
                    const CrossEntropyOptions& options, Where where) {
  const ClassAttrs at{options.axis, options.ignore_index, reduction_text(options.reduction)};
  return compose(kNllLoss, inputs(log_probabilities, target, weight), at, where);
}

}  // namespace weft
