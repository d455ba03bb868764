// nansum: the sum over axes of what is a number.
#include "weft/op/apply.h"
#include "weft/ops/reduce/nan_free.h"

namespace weft {
namespace {

Tensors compose_nansum(const SumAttrs& at, TensorSpan in) {
  reduced_axes(InferCtx{"nansum"}, in[0].shape(), at.axis);
  return {apply(kSum, inputs(nan_replaced(in[0], 0)), at, Where::here())};
}

}  // namespace

constinit const CompositeDef kNansum{
    .name = "nansum",
    .doc =
        "The sum over `axis` with NaN counted as 0. Integers and bools are summed in 64 bits; the "
        "order of summation is that of `sum`.",
    .inputs = {"x: any"},
    .outputs = {"out: any"},
    .attrs = attrs_type<SumAttrs>(),
    .compose = rule<compose_nansum>(),
    .known_as = {Alias{"numpy", "nansum"}, Alias{"torch", "nansum"}, Alias{"jax", "numpy.nansum"}},
};

Tensor nansum(const Tensor& x, std::optional<Ints> axis, bool keepdims, Where where) {
  return compose(kNansum, inputs(x),
                 SumAttrs{.axis = std::move(axis), .dtype = {}, .keepdims = keepdims}, where);
}

}  // namespace weft
