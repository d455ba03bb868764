// What argmax and argmin share: a reduction with two states, the value and its index.
#include "weft/ops/reduce/arg_reduction.h"

#include "weft/op/apply.h"

namespace weft {

Types arg_infer(const ArgAttrs& at, const InferCtx& cx, TypeSpan in) {
  const std::optional<Ints> axis = at.axis ? std::optional(Ints{*at.axis}) : std::nullopt;
  const Shape& shape = in[0].shape;
  require_elements(cx, shape, reduced_axes(cx, shape, axis));
  return {{DType::kI64, reduced_shape(cx, shape, axis, at.keepdims)}};
}

// Without an axis each example is flattened, and the result has the axes it would have alone.
Tensors arg_batched(const OpDef& op, const ArgAttrs& at, const BatchCtx& cx) {
  const Tensor& x = cx.inputs[0];
  const int64_t rank = x.rank() - 1;
  ArgAttrs shifted = at;
  if (at.axis) {
    shifted.axis = normalized(*at.axis, rank) + 1;
    return {apply(op, inputs(x), shifted, cx.where)};
  }
  const Dim count = num_elements(x.shape().subspan(1));
  shifted = {.axis = 1, .keepdims = false};
  const Tensor flat = reshape(x, Shape{cx.size, count}, cx.where);
  const Tensor out = apply(op, inputs(flat), shifted, cx.where);
  if (!at.keepdims) return {out};
  Shape kept(static_cast<size_t>(rank) + 1, 1);
  kept[0] = cx.size;
  return {reshape(out, kept, cx.where)};
}

// Bools are compared as numbers.
DType arg_value_dtype(DType x) { return x == DType::kBool ? DType::kU8 : x; }

void arg_map(Expr x, Expr index, Expr* state) {
  state[0] = cast(x, arg_value_dtype(x.dtype()));
  state[1] = index;
}

// The canonical order is not that of the indices, so ties are decided by the lower index.
void arg_combine(const Expr* a, const Expr* b, Expr b_wins, Expr* out) {
  const Expr first = b[1] < a[1];
  Expr take_b = b_wins | ((a[0] == b[0]) & first);
  if (is_floating(a[0].dtype())) {
    const Expr a_nan = isnan(a[0]), b_nan = isnan(b[0]);
    take_b = where(b_nan, (!a_nan) | first, take_b & (!a_nan));
  }
  out[0] = where(take_b, b[0], a[0]);
  out[1] = where(take_b, b[1], a[1]);
}

// Loses every tie.
void arg_identity(Expr value, Expr* state) {
  state[0] = value;
  state[1] = Expr::constant_bits(DType::kI64, INT64_MAX);
}

}  // namespace weft
