// argmax: the index of the greatest element along an axis.
#include "weft/op/apply.h"
#include "weft/ops/reduce/arg_reduction.h"

namespace weft {
namespace {

constexpr Reduction kReduction{
    .states = 2,
    .result = 1,
    .map = arg_map,
    .combine = [](const Expr* a, const Expr* b, Expr* out) { arg_combine(a, b, b[0] > a[0], out); },
    .identity = [](DType x, Expr* state) { arg_identity(lowest(arg_value_dtype(x)), state); },
};

Tensors batched(const ArgAttrs& at, const BatchCtx& cx) { return arg_batched(kArgmax, at, cx); }

}  // namespace

constinit const OpDef kArgmax{
    .name = "argmax",
    .doc =
        "The index of the greatest element along `axis`, or in the flattened input if no axis is "
        "given; the first of several. NaN counts as the greatest. An axis without elements raises.",
    .inputs = {"x: ordered"},
    .outputs = {"out: int64"},
    .attrs = attrs_type<ArgAttrs>(),
    .laws = {Law{"empty", "the axis has elements"}},
    .infer = rule<arg_infer>(),
    .grad = derive::not_differentiable("argmax is piecewise constant"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::reduction(kReduction),
    .known_as = {Alias{"numpy", "argmax"}, Alias{"torch", "argmax"}, Alias{"jax", "numpy.argmax"},
                 Alias{"tf", "argmax"}},
};

Tensor argmax(const Tensor& x, std::optional<int64_t> axis, bool keepdims, Where where) {
  return apply(kArgmax, inputs(x), ArgAttrs{axis, keepdims}, where);
}

}  // namespace weft
