// unique_all: distinct elements, where they are first, where each element's value is, and how
// often.
#include "weft/op/apply.h"
#include "weft/ops/reduce/check_values.h"
#include "weft/ops/sort/unique.h"

namespace weft {
namespace {

Tensors compose_unique_all(const NoAttrs&, TensorSpan in) {
  return computed_if_known(in, [&]() -> Tensors {
    const Distinct distinct("unique_all", in[0]);
    return {distinct.values(), distinct.indices(), distinct.inverse(), distinct.counts()};
  });
}

}  // namespace

constinit const CompositeDef kUniqueAll{
    .name = "unique_all",
    .doc =
        "The distinct elements of `x` in ascending order, the index of the first of each in the "
        "flattened `x`, for each element of `x` the index of its value, and how often each value "
        "occurs. Distinct are elements that do not compare equal: each NaN is, and -0 is +0. "
        "How many there are depends on the values, so under vmap it raises. The gradient of a "
        "value is that of the first element that equals it.",
    .inputs = {"x: any"},
    .outputs = {"values: like x", "indices: int64", "inverse_indices: int64", "counts: int64"},
    .compose = rule<compose_unique_all>(),
    .known_as = {Alias{"numpy", "unique_all"}, Alias{"jax", "numpy.unique_all"}},
};

Tensors unique_all(const Tensor& x, Where where) {
  return compose_all(kUniqueAll, inputs(x), &kNoAttrs, where);
}

}  // namespace weft
