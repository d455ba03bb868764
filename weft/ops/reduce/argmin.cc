// argmin: the index of the least element along an axis.
#include "weft/op/apply.h"
#include "weft/ops/reduce/arg_reduction.h"

namespace weft {
namespace {

constexpr Reduction kReduction{
    .states = 2,
    .result = 1,
    .map = arg_map,
    .combine = [](const Expr* a, const Expr* b, Expr* out) { arg_combine(a, b, b[0] < a[0], out); },
    .identity = [](DType x, Expr* state) { arg_identity(highest(arg_value_dtype(x)), state); },
};

Tensors batched(const ArgAttrs& at, const BatchCtx& cx) { return arg_batched(kArgmin, at, cx); }

}  // namespace

constinit const OpDef kArgmin{
    .name = "argmin",
    .doc =
        "The index of the least element along `axis`, or in the flattened input if no axis is "
        "given; the first of several. NaN counts as the least. An axis without elements raises.",
    .inputs = {"x: ordered"},
    .outputs = {"out: int64"},
    .attrs = attrs_type<ArgAttrs>(),
    .laws = {Law{"empty", "the axis has elements"}},
    .infer = rule<arg_infer>(),
    .grad = derive::not_differentiable("argmin is piecewise constant"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::reduction(kReduction),
    .known_as = {Alias{"numpy", "argmin"}, Alias{"torch", "argmin"}, Alias{"jax", "numpy.argmin"},
                 Alias{"tf", "argmin"}},
};

Tensor argmin(const Tensor& x, std::optional<int64_t> axis, bool keepdims, Where where) {
  return apply(kArgmin, inputs(x), ArgAttrs{axis, keepdims}, where);
}

}  // namespace weft
