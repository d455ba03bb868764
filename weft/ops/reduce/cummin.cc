// cummin: the least element so far, along an axis.
#include "weft/op/apply.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace {

Tensors compose_cummin(const ScanAttrs& at, TensorSpan in) {
  return running_extremum(InferCtx{"cummin"}, at, in[0], /*largest=*/false);
}

}  // namespace

constinit const CompositeDef kCummin{
    .name = "cummin",
    .doc =
        "The least element so far, along `axis`; NaN from the first NaN on. The gradient goes to "
        "the first of several that are equal.",
    .inputs = {"x: ordered"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ScanAttrs>(),
    .laws = {Law{"dtype", "x is ordered"}},
    .compose = rule<compose_cummin>(),
    .known_as = {Alias{"numpy", "minimum.accumulate"},
                 Alias{"torch", "cummin: ours gives the values alone"}, Alias{"jax", "lax.cummin"}},
};

Tensor cummin(const Tensor& x, int64_t axis, Where where) {
  return compose(kCummin, inputs(x), ScanAttrs{axis}, where);
}

}  // namespace weft
