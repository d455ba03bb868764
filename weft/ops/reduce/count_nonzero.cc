// count_nonzero: how many elements are not 0.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace {

Tensors compose_count_nonzero(const ReduceAttrs& at, TensorSpan in) {
  reduced_axes(InferCtx{"count_nonzero"}, in[0].shape(), at.axis);
  return {sum(in[0] != scalar_like(in[0], 0), at.axis, at.keepdims)};
}

}  // namespace

constinit const CompositeDef kCountNonzero{
    .name = "count_nonzero",
    .doc = "How many elements over `axis` are not 0, as int64; NaN is not 0.",
    .inputs = {"x: any"},
    .outputs = {"out: int64"},
    .attrs = attrs_type<ReduceAttrs>(),
    .compose = rule<compose_count_nonzero>(),
    .known_as = {Alias{"numpy", "count_nonzero"}, Alias{"torch", "count_nonzero"},
                 Alias{"jax", "numpy.count_nonzero"}, Alias{"tf", "math.count_nonzero"}},
};

Tensor count_nonzero(const Tensor& x, std::optional<Ints> axis, bool keepdims, Where where) {
  return compose(kCountNonzero, inputs(x), ReduceAttrs{std::move(axis), keepdims}, where);
}

}  // namespace weft
