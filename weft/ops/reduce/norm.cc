// norm: the p-norm of vectors over axes.
#include <algorithm>

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct NormAttrs {
  std::optional<Ints> axis;
  double ord = 2;
  bool keepdims = false;
  static constexpr auto fields = fields_of(
      field("axis", &NormAttrs::axis, "the axis or axes of a vector; all of them if left out"),
      field("ord", &NormAttrs::ord, "the order: 1, 2, inf, -inf, 0 or any p"),
      field("keepdims", &NormAttrs::keepdims, "keep reduced axes with size 1"));
};

// What elements are divided by: the greatest; but not by so little that the derivative of a ratio
// overflows where squares of ratios cannot underflow.
Tensor scale_of(const Tensor& greatest, double p) {
  const Tensor is_positive = greatest > 0.0, usable = isfinite(greatest) & is_positive;
  const double least = greatest.dtype() == DType::kF64 ? 0x1p-960 : 0x1p-100;
  return where(usable, p == 2 ? maximum(greatest, least) : greatest, 1.0);
}

// (sum a^p)^(1/p) of a >= 0, with the elements divided by the greatest so that no power overflows.
// Where all are 0 the power is kept away from 0, so that the gradient there is 0, not NaN.
Tensor scaled_norm(const Tensor& a, const Ints& axes, double p) {
  const Tensor scale = scale_of(stop_gradient(max(a, axes, /*keepdims=*/true)), p);
  const Tensor ratio = a / scale;
  const Tensor total = sum(p == 2 ? square(ratio) : pow(ratio, p), axes, /*keepdims=*/true);
  const Tensor zero = equal(total, 0.0);
  const Tensor positive = where(zero, 1.0, total);
  const Tensor root = p == 2 ? sqrt(positive) : pow(positive, 1 / p);
  return where(zero, 0.0, scale * root);
}

// 0 for 0, without the 0 * inf of a negative power's gradient: negative orders are not scaled.
Tensor plain_norm(const Tensor& a, const Ints& axes, double p) {
  return pow(sum(pow(a, p), axes, /*keepdims=*/true), 1 / p);
}

Tensor norm_of(const Tensor& a, const Ints& axes, double ord, Dim count) {
  const double infinity = __builtin_inf();
  if (ord == infinity) return count == Dim(0) ? sum(a, axes, true) : max(a, axes, true);
  if (ord == -infinity) return min(a, axes, true);
  if (ord == 0) return sum(cast(not_equal(a, 0.0), a.dtype()), axes, true);
  if (ord == 1 || count == Dim(0)) return sum(a, axes, true);
  return ord > 0 ? scaled_norm(a, axes, ord) : plain_norm(a, axes, ord);
}

// Rows that a cache holds, along the last axis: one kernel does them. A length that only a run
// knows counts as such.
bool has_rows(const Tensor& x, const Ints& axes) {
  const bool is_last = std::find(axes.begin(), axes.end(), x.rank() - 1) != axes.end();
  if (!is_last || is_complex(x.dtype())) return false;
  const Dim size = x.dim(-1);
  return decide_less(0, size) != Tri::kNo && decide_less(kLongRow, size) != Tri::kYes;
}

// The length of the rows' lengths.
Tensor norm_by_rows(const Tensor& x, const Ints& axes) {
  const Tensor lengths = apply(kNormRows, inputs(x), kNoAttrs, Where::here());
  Ints others;
  for (const int64_t axis : axes) {
    if (axis != x.rank() - 1) others.push_back(axis);
  }
  return others.empty() ? lengths : scaled_norm(lengths, others, 2);
}

Tensors compose_norm(const NormAttrs& at, TensorSpan in) {
  const InferCtx cx{"norm"};
  cx.require(at.ord == at.ord, "ord", "the order is NaN; it must be a number or inf");
  const Tensor given = as_inexact(in[0]);
  const DType out_dtype = real_of(given.dtype());
  const Tensor wide = cast(given, compute_of(given.dtype()));
  const Ints axes = reduced_axes(cx, wide.shape(), at.axis);
  const Shape shape = reduced_shape(cx, wide.shape(), at.axis, at.keepdims);
  const Dim count = reduced_count(wide.shape(), axes);
  const Tensor out = at.ord == 2 && has_rows(wide, axes) && !(count == Dim(0))
                         ? norm_by_rows(wide, axes)
                         : norm_of(abs(wide), axes, at.ord, count);
  return {cast(reshape(out, shape), out_dtype)};
}

}  // namespace

constinit const CompositeDef kNorm{
    .name = "norm",
    .doc =
        "The vector norm of order `ord` over `axis`: `sum(abs(x)**ord)**(1/ord)`, the greatest "
        "(least) magnitude for `inf` (`-inf`), the number of non-zeros for 0. Positive orders do "
        "not overflow before the result does, and have gradient 0 at a vector of zeros. Integers "
        "and bools become float32; the norm of complex vectors is real.",
    .inputs = {"x: inexact"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<NormAttrs>(),
    .laws = {Law{"ord", "the order is not NaN"}},
    .compose = rule<compose_norm>(),
    .known_as = {Alias{"numpy", "linalg.vector_norm"}, Alias{"torch", "linalg.vector_norm"},
                 Alias{"jax", "numpy.linalg.norm"}, Alias{"tf", "norm"}},
};

Tensor norm(const Tensor& x, std::optional<Ints> axis, double ord, bool keepdims, Where where) {
  return compose(kNorm, inputs(x), NormAttrs{std::move(axis), ord, keepdims}, where);
}

}  // namespace weft
