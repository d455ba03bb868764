// nan_to_num.nan: a number in the place of NaN, in one pass.
#include "weft/ops/math/nan_replaced.h"

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x, Expr value) { return where(x == x, x, value); }

// 1 where x is a number, and 1 where it is none.
template <class T>
T is_number(T x) {
  return where(x == x, scalar_like(x, 1.0), scalar_like(x, 0.0));
}
template <class T>
T is_none(T x) {
  return where(x == x, scalar_like(x, 0.0), scalar_like(x, 1.0));
}

}  // namespace

constinit const OpDef kNanReplaced{
    .name = "nan_to_num.nan",
    .doc =
        "`x`, and `value` where it is NaN; there the gradient goes to the value. What `nan_to_num` "
        "and the reductions that leave out NaN are made of.",
    .inputs = {"x: floating", "value: like x"},
    .outputs = {"out: like x"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto x, auto, auto) { return is_number(x); },
                             [](auto x, auto, auto) { return is_none(x); }>()
                .selecting(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
};

Tensor nan_replaced_each(const Tensor& x, const Tensor& value, Where where) {
  return apply(kNanReplaced, inputs(x, value), kNoAttrs, where);
}

}  // namespace weft
