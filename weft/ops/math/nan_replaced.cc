// nan_to_num.nan: a number in the place of NaN and ends in that of infinities, in one pass.
#include "weft/ops/math/nan_replaced.h"

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x, Expr value, Expr end) {
  return where(x == x, minimum(maximum(x, -end), end), value);
}

// 1 where x stays as it is, and 1 where it is no number.
template <class T>
T is_kept(T x, T end) {
  return where(abs(x) <= end, scalar_like(x, 1.0), scalar_like(x, 0.0));
}
// 1 where the end is taken, -1 where its opposite is.
template <class T>
T side_of(T x, T end) {
  const T low = where(x < -end, scalar_like(x, -1.0), scalar_like(x, 0.0));
  const T is_below = end < scalar_like(end, 0.0);
  return where((x > end) | is_below, scalar_like(x, 1.0), low);
}
template <class T>
T is_none(T x) {
  return where(x == x, scalar_like(x, 0.0), scalar_like(x, 1.0));
}

}  // namespace

constinit const OpDef kNanReplaced{
    .name = "nan_to_num.nan",
    .doc =
        "`x` brought between `-end` and `end`, and `value` where it is NaN; there the gradient "
        "goes "
        "to the value. What `nan_to_num` and the reductions that leave out NaN are made of.",
    .inputs = {"x: floating", "value: like x", "end: like x"},
    .outputs = {"out: like x"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto x, auto, auto end, auto) { return is_kept(x, end); },
                             [](auto x, auto, auto, auto) { return is_none(x); },
                             [](auto x, auto, auto end, auto) { return side_of(x, end); }>()
                .selecting(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
};

Tensor nan_replaced_each(const Tensor& x, const Tensor& value, const Tensor& end, Where where) {
  return apply(kNanReplaced, inputs(x, value, end), kNoAttrs, where);
}

}  // namespace weft
