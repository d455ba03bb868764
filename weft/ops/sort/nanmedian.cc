// nanmedian: the middle of the order of what is a number.
#include "weft/ops/sort/nanmedian.h"

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/ops/sort/sorted_rows.h"

namespace weft {
namespace {

// NaN is sorted behind all numbers, so that the first `count` of a row are its numbers; a row
// without any takes its first NaN.
Tensors composed(const ReduceAttrs& at, TensorSpan in) {
  const InferCtx cx{"nanmedian"};
  const Tensor given = as_floating(cx.op, in[0]);
  const SortedRows sorted(cx, cast(given, compute_of(given.dtype())), at);
  const Tensor is_number = cast(logical_not(isnan(sorted.rows)), DType::kI64);
  const Tensor count = sum(is_number, Ints{-1}, /*keepdims=*/true);
  const Tensor low = floor_divide(maximum(count - 1, 0), 2);
  const Tensor high = minimum(floor_divide(count, 2), sorted.n - 1);
  // Where one element is the middle, it is both.
  const Tensor upper = gather(sorted.rows, high, -1);
  const Tensor middle = mean_of_two(gather(sorted.rows, low, -1), upper);
  return {cast(reshape(middle, sorted.kept), given.dtype())};
}

}  // namespace

constinit const CompositeDef kNanmedian{
    .name = "nanmedian",
    .doc =
        "The middle element over `axis` of those that are not NaN, or the mean of the two middle "
        "ones; NaN where there is no number. Axes without elements raise. Integers and bools "
        "become float32. The gradient goes to the middle elements.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ReduceAttrs>(),
    .laws = {Law{"empty", "the axes have elements"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"numpy", "nanmedian"},
                 Alias{"torch",
                       "nanmedian: of two middle elements it takes the lower, ours is their mean"},
                 Alias{"jax", "numpy.nanmedian"}},
};

Tensor nanmedian(const Tensor& x, std::optional<Ints> axis, bool keepdims, Where where) {
  return compose(kNanmedian, inputs(x), ReduceAttrs{std::move(axis), keepdims}, where);
}

}  // namespace weft
