// mean: the arithmetic mean over axes.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace {

// Half floats are summed and divided in float32, where a long sum does not overflow.
Tensors compose_mean(const ReduceAttrs& at, TensorSpan in) {
  const Tensor x = as_inexact(in[0]);
  const Ints axes = reduced_axes(InferCtx{"mean"}, x.shape(), at.axis);
  const SumAttrs sum_attrs{.axis = axes, .dtype = compute_of(x.dtype()), .keepdims = at.keepdims};
  const Tensor total = apply(kSum, inputs(x), sum_attrs, Where::here());
  return {cast(total / divisor(x, axes), x.dtype())};
}

}  // namespace

constinit const CompositeDef kMean{
    .name = "mean",
    .doc =
        "The arithmetic mean over `axis`; NaN if there are no elements. Integers and bools become "
        "float32.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ReduceAttrs>(),
    .compose = rule<compose_mean>(),
    .known_as = {Alias{"numpy", "mean"}, Alias{"torch", "mean"}, Alias{"jax", "numpy.mean"},
                 Alias{"tf", "reduce_mean"}},
};

Tensor mean(const Tensor& x, std::optional<Ints> axis, bool keepdims, Where where) {
  return compose(kMean, inputs(x), ReduceAttrs{std::move(axis), keepdims}, where);
}

}  // namespace weft
