// unique_inverse: distinct elements, and for each element where its value is.
#include "weft/op/apply.h"
#include "weft/ops/reduce/check_values.h"
#include "weft/ops/sort/unique.h"

namespace weft {
namespace {

Tensors compose_unique_inverse(const NoAttrs&, TensorSpan in) {
  return computed_if_known(in, [&]() -> Tensors {
    const Distinct distinct("unique_inverse", in[0]);
    return {distinct.values(), distinct.inverse()};
  });
}

}  // namespace

constinit const CompositeDef kUniqueInverse{
    .name = "unique_inverse",
    .doc =
        "The distinct elements of `x` in ascending order, and for each element of `x` the index of "
        "its value: `take(values, inverse_indices)` is `x`. Distinct are elements that do not "
        "compare equal: each NaN is, and -0 is +0. "
        "How many there are depends on the values, so under vmap it raises. The gradient of a "
        "value is that of the first element that equals it.",
    .inputs = {"x: any"},
    .outputs = {"values: like x", "inverse_indices: int64"},
    .compose = rule<compose_unique_inverse>(),
    .known_as = {Alias{"numpy", "unique_inverse"}, Alias{"jax", "numpy.unique_inverse"}},
};

Tensors unique_inverse(const Tensor& x, Where where) {
  return compose_all(kUniqueInverse, inputs(x), &kNoAttrs, where);
}

}  // namespace weft
