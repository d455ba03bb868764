// layer_norm: rows brought to mean 0 and variance 1, then scaled and shifted.
//
// The op people call is a composite: it joins the last axes into one and names what was left out.
// Below it are two row kernels, for the rows themselves and for their gradient.
#include "weft/ops/norm/row_norm.h"

namespace weft {
namespace {

constexpr row_norm::RowNorm kNormOps{kLayerNormRows, kLayerNormVjp, true};

Tensors composed(const RowNormAttrs& at, TensorSpan in) {
  return {row_norm::over_axes(InferCtx{"layer_norm"}, kLayerNormRows, in, at)};
}

}  // namespace

constinit const CompositeDef kLayerNorm{
    .name = "layer_norm",
    .module = "nn",
    .doc =
        "`(x - mean) / sqrt(variance + eps) * weight + bias`, with the mean and the variance of "
        "the last `axes` axes (one, if not said). The variance is that of the population; "
        "`weight` and `bias` have the shape of those axes and may be left out. A row with an "
        "infinity or NaN is NaN, and so is its gradient, whatever the cotangent.",
    .inputs = {"x: floating", "weight?: like x", "bias?: like x"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<RowNormAttrs>(),
    .laws = {Law{"axes", "`axes` is between 1 and the rank of `x`"},
             Law{"affine", "`weight` and `bias` have the shape of the last `axes` axes of `x`"}},
    .compose = rule<composed>(),
    .known_as = {Alias{
        "torch",
        "nn.functional.layer_norm: ours takes how many of the last axes, not their shape: axes=1"}},
};

constinit const OpDef kLayerNormRows{
    .name = "layer_norm.rows",
    .module = "nn",
    .doc = "layer_norm along the last axis, where nothing is left out.",
    .inputs = {"x: floating", "weight: like x", "bias: like x", "epsilon: float64"},
    .outputs = {"out: like x"},
    .laws = {Law{"rank", "`x` has an axis to normalize along"},
             Law{"row",
                 "the last axis of `x` is as long as that of the other inputs, or they have 1"}},
    .infer = rule<row_norm::rows_infer>(),
    .grad = derive::rules<row_norm::rows_vjp<kNormOps>, row_norm::rows_jvp<kNormOps>>().except(
        3, "epsilon is a constant of the model"),
    .batch = batch::broadcasting(),
    .kernel = kernel::row(4, 1, row_norm::meaning<true>, row_norm::kEpsilon),
};

constinit const OpDef kLayerNormVjp{
    .name = "layer_norm.vjp",
    .module = "nn",
    .doc =
        "From the cotangent `g` of layer_norm.rows: those of `x`, `weight` and `bias`. The latter "
        "two are sums over all axes but the last and the first `keep`.",
    .inputs = {"x: floating", "g: like x", "weight: like x", "epsilon: float64"},
    .outputs = {"dx: like x", "dweight: like x", "dbias: like x"},
    .attrs = attrs_type<RowNormVjpAttrs>(),
    .laws = {Law{"rank", "`x` has an axis to normalize along"},
             Law{"row",
                 "the last axis of `x` is as long as that of the other inputs, or they have 1"},
             Law{"keep", "`keep` is at least 0 and below the rank of the rows"}},
    .infer = rule<row_norm::vjp_infer>(),
    .grad = derive::rules<row_norm::rows_backward_vjp<kNormOps>,
                          row_norm::rows_backward_jvp<kNormOps>>()
                .except(3, "epsilon is a constant of the model"),
    .batch = batch::rule<row_norm::rows_backward_batch<kNormOps>>(),
    .kernel = kernel::row(4, 3, row_norm::vjp_meaning<true>, row_norm::kEpsilon, row_norm::kSummed),
};

namespace nn {

Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps,
                  Where where) {
  const int64_t axes = weight.defined() ? weight.rank() : bias.defined() ? bias.rank() : 1;
  return compose(kLayerNorm, inputs(x, weight, bias), RowNormAttrs{axes, eps}, where);
}

}  // namespace nn
}  // namespace weft
