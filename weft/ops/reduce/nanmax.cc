// nanmax: the greatest element over axes that is a number.
#include "weft/op/apply.h"
#include "weft/ops/reduce/nan_free.h"

namespace weft {
namespace {

Tensors compose_nanmax(const ReduceAttrs& at, TensorSpan in) {
  return nan_extremum(kNanmax, at, in[0], max, -__builtin_inf());
}

}  // namespace

constinit const CompositeDef kNanmax{
    .name = "nanmax",
    .doc =
        "The greatest element over `axis` that is not NaN; NaN if all are. An axis without "
        "elements raises. The gradient is shared equally among elements that tie.",
    .inputs = {"x: ordered"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ReduceAttrs>(),
    .laws = {Law{"empty", "the axes have elements"}, Law{"dtype", "x is ordered"}},
    .compose = rule<compose_nanmax>(),
    .known_as = {Alias{"numpy", "nanmax"}, Alias{"jax", "numpy.nanmax"}},
};

Tensor nanmax(const Tensor& x, std::optional<Ints> axis, bool keepdims, Where where) {
  return compose(kNanmax, inputs(x), ReduceAttrs{std::move(axis), keepdims}, where);
}

}  // namespace weft
