// unique_values: distinct elements.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/check_values.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/ops/sort/sort_ops.h"
#include "weft/ops/sort/unique.h"

namespace weft {
namespace {

// Equal integers are the same: they are sorted themselves, not where they are.
Tensor distinct_integers(const Tensor& x) {
  require_one_example("unique_values", x);
  const Tensor sorted = sort(reshape(x, Shape{num_elements(x.shape())}), 0);
  const Index all_but_last{{.start = {}, .stop = -1}}, all_but_first{{.start = 1, .stop = {}}};
  const Tensor later = slice(sorted, all_but_first);
  const Tensor kept = masked_select(later, later != slice(sorted, all_but_last));
  return concat(inputs(slice(sorted, Index{{.start = {}, .stop = 1}}), kept), 0);
}

Tensors compose_unique_values(const NoAttrs&, TensorSpan in) {
  return computed_if_known(in, [&]() -> Tensors {
    if (kind_of(in[0].dtype()) == Kind::kInteger) return {distinct_integers(in[0])};
    const Distinct distinct("unique_values", in[0]);
    return {distinct.values()};
  });
}

}  // namespace

constinit const CompositeDef kUniqueValues{
    .name = "unique_values",
    .doc =
        "The distinct elements of `x` in ascending order. Distinct are elements that do not "
        "compare equal: each NaN is, and -0 is +0. "
        "How many there are depends on the values, so under vmap it raises. The gradient of a "
        "value is that of the first element that equals it.",
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
