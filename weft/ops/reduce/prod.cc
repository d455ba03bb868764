// prod: multiplies elements over axes.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Types prod_infer(const SumAttrs& at, const InferCtx& cx, TypeSpan in) {
  return {{at.dtype.value_or(accumulate_of(in[0].dtype)),
           reduced_shape(cx, in[0].shape, at.axis, at.keepdims)}};
}

// A partial product of no elements is 1; by formula 1 + 0i times an infinity would be NaN.
Expr product(Expr a, Expr b) {
  if (!is_complex(a.dtype())) return a * b;
  const Expr one = Expr::constant(a.dtype(), 1.0);
  return where(a == one, b, where(b == one, a, a * b));
}

constexpr Reduction kReduction{
    .map = [](Expr x, Expr, Expr* state) { state[0] = cast(x, accumulate_of(x.dtype())); },
    .combine = [](const Expr* a, const Expr* b, Expr* out) { out[0] = product(a[0], b[0]); },
    .identity = [](DType x, Expr* state) { state[0] = Expr::constant(accumulate_of(x), 1.0); },
    .empty = 1,
};

// The reduced axes moved to the end and joined into one: the shape the gradient is computed in.
struct Rows {
  Ints order, inverse;
  Shape moved, joined;

  Rows(ShapeView shape, const Ints& axes) {
    Dim length = 1;
    size_t next = 0;
    for (int64_t i = 0; i < rank_of(shape); ++i) {
      const bool reduced = next < axes.size() && axes[next] == i;
      if (reduced) ++next;
      if (!reduced) order.push_back(i), joined.push_back(shape[static_cast<size_t>(i)]);
    }
    for (int64_t axis : axes) {
      order.push_back(axis);
      length *= shape[static_cast<size_t>(axis)];
    }
    joined.push_back(length);
    inverse.resize(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
      moved.push_back(shape[static_cast<size_t>(order[i])]);
    }
  }
};

// For each element of `x` along the last axis the product of those before it.
Tensor products_before(const Tensor& x, Where where) {
  return shifted_in(cumulative_prod(x, -1, where), 1, x.rank() - 1, /*keep_last=*/false, where);
}

// For each element the product of all others it is multiplied with: from both sides, so that zeros
// do no harm.
Tensor products_of_others(const SumAttrs& at, const Tensor& x, Where where) {
  const Rows rows(x.shape(), reduced_axes(InferCtx{"prod"}, x.shape(), at.axis));
  if (rows.joined.back() == Dim(0)) return x;
  const Tensor row = reshape(permute_dims(x, rows.order, where), rows.joined, where);
  const Ints last{x.rank() == 0 ? 0 : row.rank() - 1};
  const Tensor before = products_before(row, where);
  const Tensor after = flip(products_before(flip(row, last, where), where), last, where);
  return permute_dims(reshape(multiply(before, after, where), rows.moved, where), rows.inverse,
                      where);
}

Tensors vjp(const SumAttrs& at, const GradCtx& cx, TensorSpan g) {
  // The factors are those of the result's dtype: of a complex x the real parts, if that was asked.
  const Tensor x = cast(cx.inputs[0], g[0].dtype(), cx.where);
  const Tensor others = conj(products_of_others(at, x, cx.where), cx.where);
  const Tensor change = multiply_no_nan(others, spread(g[0], x, at.axis, cx.where), cx.where);
  return {cast(change, cx.inputs[0].dtype(), cx.where)};
}

Tensors jvp(const SumAttrs& at, const GradCtx& cx, TensorSpan t) {
  if (!t[0].defined()) return {Tensor()};
  const DType dtype = cx.outputs[0].dtype();
  const Tensor others = products_of_others(at, cast(cx.inputs[0], dtype, cx.where), cx.where);
  const Tensor terms = multiply_no_nan(others, cast(t[0], dtype, cx.where), cx.where);
  return {apply(kSum, inputs(terms), at, cx.where)};
}

}  // namespace

constinit const OpDef kProd{
    .name = "prod",
    .doc =
        "The product over `axis`. Integers and bools are multiplied in 64 bits and wrap around; an "
        "empty product is 1. The order of multiplication is fixed by the shape alone. The "
        "gradient is right where elements are 0, one or several, and 0 where the cotangent is 0.",
    .inputs = {"x: any"},
    .outputs = {"out: any"},
    .attrs = attrs_type<SumAttrs>(),
    .infer = rule<prod_infer>(),
    .grad = derive::rules<vjp, jvp>().reading(1, false),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::reduction(kReduction),
    .known_as = {Alias{"numpy", "prod"}, Alias{"torch", "prod"}, Alias{"jax", "numpy.prod"},
                 Alias{"tf", "reduce_prod"}},
};

Tensor prod(const Tensor& x, std::optional<Ints> axis, bool keepdims, Where where) {
  return apply(kProd, inputs(x),
               SumAttrs{.axis = std::move(axis), .dtype = {}, .keepdims = keepdims}, where);
}

}  // namespace weft
