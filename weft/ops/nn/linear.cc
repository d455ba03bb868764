// linear: x times the transpose of a matrix of weights, plus a bias.
#include "weft/op/apply.h"
#include "weft/op/context.h"
#include "weft/op/decide_shapes.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

// A value that no transformation or graph follows needs no op: its transpose is a view.
Tensor transposed(const Tensor& weight) {
  if (!weight.is_concrete() || context.is_special) return permute_dims(weight, {1, 0});
  const std::span<const int64_t> strides = weight.strides();
  return weight.view(Shape{weight.dim(1), weight.dim(0)}, Ints{strides[1], strides[0]});
}

Tensors composed(const NoAttrs&, TensorSpan in) {
  const InferCtx cx{"linear"};
  const Tensor &x = in[0], &weight = in[1];
  cx.require(x.rank() >= 1, "rank", "x has rank 0; its last axis holds the features");
  cx.require(weight.rank() == 2, "weight", "weight has shape ", weight.shape(),
             "; it must be [features out, features in]");
  cx.require(decide_same(x.dim(-1), weight.dim(1)) != Tri::kNo, "features", "x has ", x.dim(-1),
             " features, but weight, of shape ", weight.shape(), ", takes ", weight.dim(1),
             "; they must be equal");
  const Tensor out = matmul(x, transposed(weight));
  if (in.size() < 3 || !in[2].defined()) return {out};
  cx.require(decide_same(in[2].shape(), Shape{weight.dim(0)}) != Tri::kNo, "bias",
             "bias has shape ", in[2].shape(), ", but weight gives ", weight.dim(0),
             " features; it must have one number each");
  return {out + in[2]};
}

}  // namespace

constinit const CompositeDef kLinear{
    .name = "linear",
    .module = "nn",
    .doc =
        "`x @ weight.T + bias`: `x` is [.., features in], `weight` [features out, features in] and "
        "`bias`, which may be left out, [features out]. The order of summation is that of matmul.",
    .inputs = {"x: numeric", "weight: like x", "bias?: like x"},
    .outputs = {"out: like x"},
    .laws = {Law{"rank", "`x` has an axis of features"}, Law{"weight", "`weight` is a matrix"},
             Law{"features", "`x` has as many features as `weight` takes"},
             Law{"bias", "`bias` has a number for each feature that comes out"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"torch", "nn.functional.linear"}, Alias{"tf", "keras.layers.Dense"}},
};

namespace nn {

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias, Where where) {
  return compose(kLinear, inputs(x, weight, bias), kNoAttrs, where);
}

}  // namespace nn
}  // namespace weft
