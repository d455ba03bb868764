// unique_values: distinct elements.
#include "weft/op/apply.h"
#include "weft/ops/sort/unique.h"

namespace weft {
namespace {

Tensors compose_unique_values(const NoAttrs&, TensorSpan in) {
  const Distinct distinct("unique_values", in[0]);
  return {distinct.values()};
}

}  // namespace

constinit const CompositeDef kUniqueValues{
    .name = "unique_values",
    .doc =
        "The distinct elements of `x` in ascending order. Distinct are elements that do not "
        "compare equal: each NaN is, and -0 is +0. "
        "How many there are decides a shape, so that `x` must be known: tracers raise.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .compose = rule<compose_unique_values>(),
    .known_as = {Alias{"numpy", "unique: NaNs are one value there, and each its own here"},
                 Alias{"torch", "unique"}, Alias{"jax", "numpy.unique"}, Alias{"tf", "unique"},
                 Alias{"numpy", "unique_values"}},
};

Tensor unique_values(const Tensor& x, Where where) {
  return compose(kUniqueValues, inputs(x), kNoAttrs, where);
}

}  // namespace weft
