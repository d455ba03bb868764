// instance_norm: each channel of each example brought to mean 0 and variance 1.
#include "weft/op/apply.h"
#include "weft/ops/norm/batch_norm.h"
#include "weft/ops/norm/group_norm.h"

namespace weft {
namespace {

Tensors composed(const EpsAttrs& at, TensorSpan in) {
  const InferCtx cx{"instance_norm"};
  cx.require(in[0].rank() >= 3, "rank", "x has shape ", in[0].shape(),
             "; it must have a batch axis, channels and space");
  return {normalized_groups(cx, in, in[0].dim(1), at.eps)};
}

}  // namespace

constinit const CompositeDef kInstanceNorm{
    .name = "instance_norm",
    .module = "nn",
    .doc =
        "`(x - mean) / sqrt(variance + eps) * weight + bias` for `x` [batch, channels, space..], "
        "with the mean and the variance (of the population) over the space of each channel of each "
        "example. `weight` and `bias`, a number a channel, may be left out.",
    .inputs = {"x: floating", "weight?: like x", "bias?: like x"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<EpsAttrs>(),
    .laws = {Law{"rank", "`x` has a batch axis, channels and space"},
             Law{"channels", "`weight` and `bias` have a number for each channel"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"torch", "nn.functional.instance_norm"},
                 Alias{"flax", "linen.InstanceNorm"}},
};

namespace nn {

Tensor instance_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps,
                     Where where) {
  return compose(kInstanceNorm, inputs(x, weight, bias), EpsAttrs{eps}, where);
}

}  // namespace nn
}  // namespace weft
