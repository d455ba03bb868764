// prelu: leaky_relu with a learned slope for each channel.
#include "weft/op/apply.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

Tensors composed(const NoAttrs&, TensorSpan in) {
  const InferCtx cx{"prelu"};
  const Tensor &x = in[0], &weight = in[1];
  cx.require(weight.rank() <= 1, "weight", "weight has shape ", weight.shape(),
             "; it must be one number, or one for each channel in a vector");
  if (weight.rank() == 0 || weight.dim(0) == Dim(1)) return {nn::leaky_relu(x, weight)};
  const Dim channels = x.rank() < 2 ? Dim(1) : x.dim(1);
  cx.require(decide_same(weight.dim(0), channels) != Tri::kNo, "channels", "weight has ",
             weight.dim(0), " elements, but x has shape ", x.shape(), " and so ", channels,
             " channels; it must have one, or as many");
  Shape shape{weight.dim(0)};
  for (int64_t d = 2; d < x.rank(); ++d) shape.push_back(1);
  return {nn::leaky_relu(x, reshape(weight, shape))};
}

}  // namespace

constinit const CompositeDef kPrelu{
    .name = "prelu",
    .module = "nn",
    .doc =
        "`x` where it is positive and `weight * x` elsewhere. `weight` is one number, or a vector "
        "with one for each channel, along axis 1. At 0 the derivative is the weight.",
    .inputs = {"x: floating", "weight: like x"},
    .outputs = {"out: like x"},
    .laws = {Law{"weight", "`weight` is a number or a vector"},
             Law{"channels", "`weight` has one element, or as many as `x` has channels"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"torch", "nn.functional.prelu"}},
};

Tensor nn::prelu(const Tensor& x, const Tensor& weight, Where where) {
  return compose(kPrelu, inputs(x, weight), kNoAttrs, where);
}

}  // namespace weft
