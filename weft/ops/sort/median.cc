// median: the middle of the order.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/sort/sorted_rows.h"

namespace weft {
namespace {

Tensors compose_median(const ReduceAttrs& at, TensorSpan in) {
  const InferCtx cx{"median"};
  const Tensor given = as_floating(cx.op, in[0]);
  const SortedRows sorted(cx, cast(given, compute_of(given.dtype())), at);
  const Tensor low = sorted.at((sorted.n - 1) / 2);
  const Tensor middle = sorted.n % 2 == 1 ? low : mean_of_two(low, sorted.at(sorted.n / 2));
  const Tensor last = sorted.at(sorted.n - 1);  // NaN if there is one
  return {cast(reshape(where(isnan(last), last, middle), sorted.kept), given.dtype())};
}

}  // namespace

constinit const CompositeDef kMedian{
    .name = "median",
    .doc =
        "The middle element over `axis`, or the mean of the two middle ones; NaN if there is a "
        "NaN. Axes without elements raise. Integers and bools become float32. The gradient goes to "
        "the middle elements.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ReduceAttrs>(),
    .laws = {Law{"empty", "the axes have elements"}},
    .compose = rule<compose_median>(),
    .known_as = {Alias{"numpy", "median"},
                 Alias{"torch",
                       "median: of two middle elements it takes the lower, ours is their mean"},
                 Alias{"jax", "numpy.median"}},
};

Tensor median(const Tensor& x, std::optional<Ints> axis, bool keepdims, Where where) {
  return compose(kMedian, inputs(x), ReduceAttrs{std::move(axis), keepdims}, where);
}

}  // namespace weft
