// nanmean: the mean over axes of what is a number.
#include "weft/op/apply.h"
#include "weft/ops/reduce/nan_free.h"

namespace weft {
namespace {

// Half floats are summed and divided in float32, as `mean` does.
Tensors compose_nanmean(const ReduceAttrs& at, TensorSpan in) {
  const Tensor x = as_inexact(in[0]);
  const Ints axes = reduced_axes(InferCtx{"nanmean"}, x.shape(), at.axis);
  const DType wide = compute_of(x.dtype());
  const SumAttrs sum_attrs{.axis = axes, .dtype = wide, .keepdims = at.keepdims};
  const Tensor total = apply(kSum, inputs(nan_replaced(x, 0)), sum_attrs, Where::here());
  const Tensor count = sum(cast(logical_not(isnan(x)), real_of(wide)), axes, at.keepdims);
  return {cast(total / count, x.dtype())};
}

}  // namespace

constinit const CompositeDef kNanmean{
    .name = "nanmean",
    .doc =
        "The arithmetic mean over `axis` of the elements that are not NaN; NaN if there are none. "
        "Integers and bools become float32.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ReduceAttrs>(),
    .compose = rule<compose_nanmean>(),
    .known_as = {Alias{"numpy", "nanmean"}, Alias{"torch", "nanmean"},
                 Alias{"jax", "numpy.nanmean"}},
};

Tensor nanmean(const Tensor& x, std::optional<Ints> axis, bool keepdims, Where where) {
  return compose(kNanmean, inputs(x), ReduceAttrs{std::move(axis), keepdims}, where);
}

}  // namespace weft
