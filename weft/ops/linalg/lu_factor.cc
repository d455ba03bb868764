// lu_factor: elimination with row exchanges, both triangles in one matrix.
#include "weft/core/native.h"
#include "weft/op/native_outputs.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/matrices.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace linalg {
namespace {

Types lu_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  const Dim k = short_side(cx, in[0]);
  const ShapeView batch = batch_of(in[0].shape);
  return {in[0],
          {DType::kI64, with_vector(batch, k)},
          {DType::kI64, with_vector(batch, in[0].shape[batch.size()])}};
}

void run(const NoAttrs&, TensorSpan in, TensorSpan out) {
  const Tensor a = computed(in[0]), lu = output_in(a.dtype(), out[0]);
  native::lu(lu, out[1], out[2], a, {"lu_factor", ""});
  store(out[0], lu);
}

// The factors in parts: the square ones l and u of size k, l's rows below and u's columns beside.
struct Parts {
  Tensor l, u, below, beside;
  Dim m, n, k;
  bool is_square = false;
  Where at;

  Parts(const Tensor& lu, Where at) : m(lu.dim(-2)), n(lu.dim(-1)), at(at) {
    is_square = decide_same(m, n) == Tri::kYes;
    k = is_square || decide_less(m, n) == Tri::kYes ? m : n;
    const Tensor square = split_off(lu, beside, below);
    l = square;
    u = square;
  }
  // The square part of x (m x n); what lies beside (m < n) or below it (m > n), if anything does.
  Tensor split_off(const Tensor& x, Tensor& right, Tensor& bottom) const {
    if (is_square) return x;
    if (k == m) {
      right = columns(x, k, n, at);
      return columns(x, 0, k, at);
    }
    bottom = rows(x, k, m, at);
    return rows(x, 0, k, at);
  }
  Tensor joined(const Tensor& square, const Tensor& right, const Tensor& bottom) const {
    if (right.defined()) return concat(Tensors{square, right}, -1, at);
    return bottom.defined() ? concat(Tensors{square, bottom}, -2, at) : square;
  }
  // l^-1 x, l^-H x and x u^-1, x u^-H.
  Tensor by_l(const Tensor& x, bool conjugated) const {
    return solve_triangular(l, x, false, conjugated, true, at);
  }
  Tensor by_u(const Tensor& x, bool conjugated) const {
    return adjoint(solve_triangular(u, adjoint(x, at), true, !conjugated, false, at), at);
  }
  Tensor unit_lower() const {
    const Tensor unit = diagonal_matrix(ones_like(diagonal(l, 0, at), {}, at), at);
    return add(lower(l, -1, at), unit, at);
  }
  Tensor upper_part() const { return upper(u, 0, at); }
};

// x's rows in the order of the factors, and back.
Tensor permuted(const Tensor& x, const Tensor& permutation, Where at) {
  return gather(x, expand_dims(permutation, -1, at), -2, at);
}
Tensor unpermuted(const Tensor& x, const Tensor& permutation, Where at) {
  const Tensor wide = broadcast_to(expand_dims(permutation, -1, at), Shape(x.shape()), at);
  return scatter_add(zeros(Shape(x.shape()), x.dtype(), at), wide, x, -2, at);
}

// With c = l^-1 da u^-1: dl = l lower(c), du = upper(c) u, below and beside by their equations
// below u = a, l beside = a.
Tensors pushed(const NoAttrs&, const GradCtx& cx, TensorSpan d) {
  const Parts parts(cx.outputs[0], cx.where);
  const Where at = cx.where;
  Tensor right, bottom;
  const Tensor square = parts.split_off(permuted(d[0], cx.outputs[2], at), right, bottom);
  const Tensor inner = parts.by_u(parts.by_l(square, false), false);
  const Tensor below = lower(inner, -1, at), dl = matmul(parts.unit_lower(), below, at);
  const Tensor u = parts.upper_part(), du = matmul(upper(inner, 0, at), u, at);
  if (right.defined()) {
    right = parts.by_l(subtract(right, matmul(dl, parts.beside, at), at), false);
  }
  if (bottom.defined()) {
    bottom = parts.by_u(subtract(bottom, matmul(parts.below, du, at), at), false);
  }
  return {parts.joined(add(dl, du, at), right, bottom), Tensor(), Tensor()};
}

Tensors pulled(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  if (!g[0].defined()) return {Tensor()};
  const Parts parts(cx.outputs[0], cx.where);
  const Where at = cx.where;
  Tensor right, bottom;
  const Tensor square = parts.split_off(g[0], right, bottom);
  Tensor gl = lower(square, -1, at), gu = upper(square, 0, at);
  if (right.defined()) {
    right = parts.by_l(right, true);
    gl = subtract(gl, lower(matmul(right, adjoint(parts.beside, at), at), -1, at), at);
  }
  if (bottom.defined()) {
    bottom = parts.by_u(bottom, true);
    gu = subtract(gu, upper(matmul(adjoint(parts.below, at), bottom, at), 0, at), at);
  }
  const Tensor of_l = lower(matmul(adjoint(parts.unit_lower(), at), gl, at), -1, at);
  const Tensor of_u = upper(matmul(gu, adjoint(parts.upper_part(), at), at), 0, at);
  const Tensor inner = parts.by_u(parts.by_l(add(of_l, of_u, at), true), true);
  return {unpermuted(parts.joined(inner, right, bottom), cx.outputs[2], at)};
}

}  // namespace

Tensors lu_factor(const Tensor& x, Where where) {
  return apply_all(kLuFactor, inputs(x), kNoAttrs, where);
}

}  // namespace linalg

constinit const OpDef kLuFactor{
    .name = "lu_factor",
    .module = "linalg",
    .doc =
        "Elimination with row exchanges: `x[permutation] = l u`, where `lu` holds the upper "
        "triangle `u` and below its diagonal `l`, whose own diagonal is 1. Step i exchanged row i "
        "with row `pivots[i]`. Works for any shape, singular matrices too; their gradient raises. "
        "A matrix with a NaN or an infinity gives NaN, with rows in their order.",
    .inputs = {"x: inexact"},
    .outputs = {"lu: like x", "pivots: int64", "permutation: int64"},
    .laws = {Law{"rank", "a matrix has two axes"}},
    .infer = rule<linalg::lu_infer>(),
    .grad = derive::rules<linalg::pulled, linalg::pushed>().reading(0, true),
    .batch = batch::broadcasting(),
    .kernel = kernel::native<linalg::run>(),
    .known_as = {Alias{"torch", "linalg.lu_factor"}, Alias{"jax", "scipy.linalg.lu_factor"},
                 Alias{"jax", "lax.linalg.lu"}, Alias{"tf", "linalg.lu"}},
};

}  // namespace weft
