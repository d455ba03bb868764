// What reductions and scans share: which axes they reduce, the shape that is left, their inputs.
#include <limits>

#include "weft/ops/creation/creation.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {

Ints reduced_axes(const InferCtx& cx, ShapeView shape, const std::optional<Ints>& axis) {
  if (axis) return cx.axes(*axis, shape);
  Ints all;
  for (int64_t i = 0; i < rank_of(shape); ++i) all.push_back(i);
  return all;
}

Shape reduced_shape(const InferCtx& cx, ShapeView shape, const std::optional<Ints>& axis,
                    bool keepdims) {
  const Ints axes = reduced_axes(cx, shape, axis);
  Shape out;
  size_t next = 0;
  for (int64_t i = 0; i < rank_of(shape); ++i) {
    const bool reduced = next < axes.size() && axes[next] == i;
    if (reduced) ++next;
    if (!reduced) out.push_back(shape[static_cast<size_t>(i)]);
    if (reduced && keepdims) out.push_back(1);
  }
  return out;
}

Types truth_infer(const ReduceAttrs& at, const InferCtx& cx, TypeSpan in) {
  return {{DType::kBool, reduced_shape(cx, in[0].shape, at.axis, at.keepdims)}};
}

Dim reduced_count(ShapeView shape, const Ints& axes) {
  Dim count = 1;
  for (int64_t axis : axes) count *= shape[static_cast<size_t>(axis)];
  return count;
}

Tensor divisor(const Tensor& x, const Ints& axes, double correction) {
  const Dim count = reduced_count(x.shape(), axes);
  const double none = std::numeric_limits<double>::quiet_NaN();
  if (count.is_known()) {
    const double known = static_cast<double>(count.value()) - correction;
    return known > 0 ? known : none;
  }
  Shape reduced;
  for (int64_t axis : axes) reduced.push_back(x.dim(axis));
  const Tensor ones = broadcast_to(Tensor::scalar(DType::kI64, 1), reduced);
  const Tensor counted = cast(sum(ones), real_of(compute_of(x.dtype()))) - correction;
  return where(counted > 0.0, counted, none);
}

void require_elements(const InferCtx& cx, ShapeView shape, const Ints& axes) {
  for (int64_t axis : axes) {
    cx.require(!(shape[static_cast<size_t>(axis)] == Dim(0)), "empty", "axis ", axis, " of shape ",
               shape,
               " has no elements, and none of nothing can be chosen; reduce axes of size 1 "
               "or more");
  }
}

Tensor spread(const Tensor& g, const Tensor& x, const std::optional<Ints>& axis, Where where) {
  const Shape kept = reduced_shape(InferCtx{"reduce"}, x.shape(), axis, /*keepdims=*/true);
  return broadcast_to(reshape(g, kept, where), Shape(x.shape()), where);
}

Tensor as_inexact(const Tensor& x) {
  const Kind kind = kind_of(x.dtype());
  if (kind <= Kind::kInteger) return cast(x, DType::kF32);
  if (!x.is_weak()) return x;
  return cast(x, kind == Kind::kComplex ? DType::kC64 : DType::kF32);
}

Tensor as_floating(std::string_view op, const Tensor& x) {
  if (is_complex(x.dtype())) {
    fail(Code::kType, op, "dtype", "x has dtype ", x.dtype(),
         ", but must be floating; cast it first");
  }
  return as_inexact(x);
}

Expr lowest(DType dtype) {
  if (kind_of(dtype) == Kind::kFloating) return Expr::constant(dtype, -__builtin_inf());
  if (!is_signed_integer(dtype)) return Expr::constant_bits(dtype, 0);
  const uint64_t sign = uint64_t{1} << (8 * size_of(dtype) - 1);
  return Expr::constant_bits(dtype, sign);
}

Expr highest(DType dtype) {
  if (dtype == DType::kBool) return Expr::constant_bits(dtype, 1);
  if (kind_of(dtype) == Kind::kFloating) return Expr::constant(dtype, __builtin_inf());
  const int64_t bits = 8 * size_of(dtype) - (is_signed_integer(dtype) ? 1 : 0);
  return Expr::constant_bits(dtype, ~uint64_t{0} >> (64 - bits));
}

Types scan_infer(const ScanAttrs& at, const InferCtx& cx, TypeSpan in) {
  cx.axis(at.axis, in[0].shape);
  return {in[0]};
}

Tensor scan_input(std::string_view op, const CumulativeAttrs& at, const Tensor& x, int64_t* axis) {
  const InferCtx cx{op};
  cx.require(at.axis || x.rank() == 1, "axis_needed", "x has shape ", x.shape(),
             "; say along which axis to run unless the rank is 1");
  *axis = cx.axis(at.axis.value_or(0), x.shape());
  const DType own = x.is_weak() && is_floating(x.dtype()) ? DType::kF32 : x.dtype();
  return cast(x, at.dtype.value_or(accumulate_of(own)));
}

Tensor shifted_in(const Tensor& x, double value, int64_t axis, bool keep_last, Where where) {
  Shape first(x.shape());
  first[static_cast<size_t>(axis)] = 1;
  const Tensor front = broadcast_to(Tensor::scalar(x.dtype(), value), first, where);
  Tensor rest = x;
  if (!keep_last) {
    Index index(static_cast<size_t>(axis));
    index.push_back({.kind = IndexItem::Kind::kRange, .start = {}, .stop = -1, .step = 1});
    rest = slice(x, index, where);
  }
  return concat(inputs(front, rest), axis, where);
}

}  // namespace weft
