// unique_counts: distinct elements and how often each occurs.
#include "weft/op/apply.h"
#include "weft/ops/reduce/check_values.h"
#include "weft/ops/sort/unique.h"

namespace weft {
namespace {

Tensors compose_unique_counts(const NoAttrs&, TensorSpan in) {
  return computed_if_known(in, [&]() -> Tensors {
    const Distinct distinct("unique_counts", in[0]);
    return {distinct.values(), distinct.counts()};
  });
}

}  // namespace

constinit const CompositeDef kUniqueCounts{
    .name = "unique_counts",
    .doc =
        "The distinct elements of `x` in ascending order, and how often each occurs. Distinct are "
        "elements that do not compare equal: each NaN is, and -0 is +0. "
        "How many there are depends on the values, so under vmap it raises. The gradient of a "
        "value is that of the first element that equals it.",
    .inputs = {"x: any"},
    .outputs = {"values: like x", "counts: int64"},
    .compose = rule<compose_unique_counts>(),
    .known_as = {Alias{"numpy", "unique_counts"}, Alias{"jax", "numpy.unique_counts"},
                 Alias{"tf", "unique_with_counts"}},
};

Tensors unique_counts(const Tensor& x, Where where) {
  return compose_all(kUniqueCounts, inputs(x), &kNoAttrs, where);
}

}  // namespace weft
