// nanmin: the least element over axes that is a number.
#include "weft/op/apply.h"
#include "weft/ops/reduce/nan_free.h"

namespace weft {
namespace {

Tensors compose_nanmin(const ReduceAttrs& at, TensorSpan in) {
  return nan_extremum(kNanmin, at, in[0], min, __builtin_inf());
}

}  // namespace

constinit const CompositeDef kNanmin{
    .name = "nanmin",
    .doc =
        "The least element over `axis` that is not NaN; NaN if all are. An axis without elements "
        "raises. The gradient is shared equally among elements that tie.",
    .inputs = {"x: ordered"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ReduceAttrs>(),
    .laws = {Law{"empty", "the axes have elements"}, Law{"dtype", "x is ordered"}},
    .compose = rule<compose_nanmin>(),
    .known_as = {Alias{"numpy", "nanmin"}, Alias{"jax", "numpy.nanmin"}},
};

Tensor nanmin(const Tensor& x, std::optional<Ints> axis, bool keepdims, Where where) {
  return compose(kNanmin, inputs(x), ReduceAttrs{std::move(axis), keepdims}, where);
}

}  // namespace weft
