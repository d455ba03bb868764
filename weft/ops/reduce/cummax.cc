// cummax: the greatest element so far, along an axis.
#include "weft/op/apply.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace {

Tensors compose_cummax(const ScanAttrs& at, TensorSpan in) {
  return running_extremum(InferCtx{"cummax"}, at, in[0], /*largest=*/true);
}

}  // namespace

constinit const CompositeDef kCummax{
    .name = "cummax",
    .doc =
        "The greatest element so far, along `axis`; NaN from the first NaN on. The gradient goes "
        "to the first of several that are equal.",
    .inputs = {"x: ordered"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ScanAttrs>(),
    .laws = {Law{"dtype", "x is ordered"}},
    .compose = rule<compose_cummax>(),
    .known_as = {Alias{"numpy", "maximum.accumulate"},
                 Alias{"torch", "cummax: ours gives the values alone"}, Alias{"jax", "lax.cummax"}},
};

Tensor cummax(const Tensor& x, int64_t axis, Where where) {
  return compose(kCummax, inputs(x), ScanAttrs{axis}, where);
}

}  // namespace weft
