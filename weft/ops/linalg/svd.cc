// svd: singular values and vectors.
#include "weft/core/native.h"
#include "weft/op/native_outputs.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/phases.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace linalg {
namespace {

struct SvdAttrs {
  bool full_matrices = true;
  static constexpr auto fields =
      fields_of(field("full_matrices", &SvdAttrs::full_matrices,
                      "square u and vh, not only as many vectors as there are values"));
};

Types svd_infer(const SvdAttrs& at, const InferCtx& cx, TypeSpan in) {
  const Dim k = short_side(cx, in[0]);
  const ShapeView batch = batch_of(in[0].shape);
  const Dim m = in[0].shape[batch.size()], n = in[0].shape.back();
  return {{in[0].dtype, with_matrix(batch, m, at.full_matrices ? m : k)},
          {real_of(in[0].dtype), with_vector(batch, k)},
          {in[0].dtype, with_matrix(batch, at.full_matrices ? n : k, n)}};
}

void run(const SvdAttrs&, TensorSpan in, TensorSpan out) {
  const Tensor a = computed(in[0]), u = output_in(a.dtype(), out[0]);
  const Tensor s = output_in(real_of(a.dtype()), out[1]), vh = output_in(a.dtype(), out[2]);
  native::svd(s, u, vh, a, {"svd", "converge"});
  store(out[0], u);
  store(out[1], s);
  store(out[2], vh);
}

// The first k columns of x, and into `rest` those that complete a basis.
Tensor first_columns(const Tensor& x, Dim k, Tensor& rest, Where at) {
  if (decide_less(k, x.dim(-1)) == Tri::kNo) return x;
  rest = columns(x, k, x.dim(-1), at);
  return columns(x, 0, k, at);
}

// u and v as columns, and what both rules need of the values.
struct Vectors {
  Tensor u, u2, s, v, v2, gaps, inverse;
  Where at;

  Vectors(TensorSpan outputs, Where at) : s(outputs[1]), at(at) {
    u = first_columns(outputs[0], s.dim(-1), u2, at);
    v = first_columns(adjoint(outputs[2], at), s.dim(-1), v2, at);
    gaps = reciprocal_gaps(square(s, at), at);
    const Tensor none = equal(s, 0, at);
    inverse = where(none, 0, reciprocal(where(none, 1, s, at), at), at);
  }
  // x - y y^H x: what of x lies outside the span of y's columns.
  Tensor outside(const Tensor& y, const Tensor& x) const {
    return subtract(x, matmul(y, matmul(adjoint(y, at), x, at), at), at);
  }
  Tensor scaled_rows(const Tensor& x) const { return multiply(x, expand_dims(s, -1, at), at); }
};

// Columns that complete a basis are carried along without turning: d2 = -x dx^H x2.
Tensor with_rest(const Tensor& dx, const Tensor& x, const Tensor& x2, Where at) {
  if (!x2.defined()) return dx;
  const Tensor d2 = negative(matmul(x, matmul(adjoint(dx, at), x2, at), at), at);
  return concat(Tensors{dx, d2}, -1, at);
}

// J. Townsend, "Differentiating the singular value decomposition", 2016. With p = u^H da v.
Tensors pushed(const SvdAttrs&, const GradCtx& cx, TensorSpan d) {
  const Where at = cx.where;
  const Vectors a(cx.outputs, at);
  const Tensor av = matmul(d[0], a.v, at), p = matmul(adjoint(a.u, at), av, at);
  const Tensor ps = scaled_columns(p, a.s, at), sp = a.scaled_rows(p);
  Tensor of_u = multiply(add(ps, adjoint(ps, at), at), a.gaps, at);
  const Tensor of_v = multiply(add(sp, adjoint(sp, at), at), a.gaps, at);
  const Tensor on_diagonal = diagonal(p, 0, at);
  if (has_phase(a.u)) {
    const Tensor turn = imaginary(multiply(imag(on_diagonal, at), a.inverse, at), at);
    of_u = add(of_u, diagonal_matrix(turn, at), at);
  }
  const Tensor ahu = matmul(adjoint(d[0], at), a.u, at);
  const Tensor beside_u = scaled_columns(a.outside(a.u, av), a.inverse, at);
  Tensor du = add(matmul(a.u, of_u, at), beside_u, at);
  const Tensor beside_v = scaled_columns(a.outside(a.v, ahu), a.inverse, at);
  Tensor dv = add(matmul(a.v, of_v, at), beside_v, at);
  if (has_phase(a.u)) {
    const Tensor turn = PhaseRule(a.u, at).turn(du);
    du = add(du, multiply(a.u, turn, at), at);
    dv = add(dv, multiply(a.v, turn, at), at);
  }
  return {with_rest(du, a.u, a.u2, at), real(on_diagonal, at),
          adjoint(with_rest(dv, a.v, a.v2, at), at)};
}

// The cotangent of the first columns, with what that of the others means for them.
Tensor gathered(const Tensor& g, const Tensor& x, const Tensor& x2, Where at) {
  Tensor g2;
  const Tensor g1 = first_columns(g, x.dim(-1), g2, at);
  if (!g2.defined()) return g1;
  return subtract(g1, matmul(matmul(x2, adjoint(g2, at), at), x, at), at);
}

Tensor pulled_vectors(const Vectors& a, Tensor gu, Tensor gv, const Tensor& gs) {
  const Where at = a.at;
  const auto on_diagonal = [&](const Tensor& x, const Tensor& g) {
    return imag(sum(multiply(conj(x, at), g, at), Ints{-2}, true, at), at);
  };
  Tensor turn;
  if (has_phase(a.u)) {
    const Tensor of_v = on_diagonal(a.v, gv), pull = add(on_diagonal(a.u, gu), of_v, at);
    gu = add(gu, PhaseRule(a.u, at).turned_back(pull), at);
    const Tensor left = squeeze(on_diagonal(a.u, gu), Ints{-2}, at);
    turn = imaginary(multiply(left, a.inverse, at), at);
  }
  const auto both = [&](const Tensor& x, const Tensor& g) {
    const Tensor y = multiply(matmul(adjoint(x, at), g, at), a.gaps, at);
    return add(y, adjoint(y, at), at);
  };
  const Tensor by_v = a.scaled_rows(both(a.v, gv));
  Tensor inner = add(scaled_columns(both(a.u, gu), a.s, at), by_v, at);
  if (turn.defined()) inner = add(inner, diagonal_matrix(turn, at), at);
  if (gs.defined()) inner = add(inner, diagonal_matrix(gs, at), at);
  const Tensor beside = scaled_columns(a.outside(a.u, gu), a.inverse, at);
  const Tensor left = add(matmul(a.u, inner, at), beside, at);
  const Tensor right = scaled_columns(a.outside(a.v, gv), a.inverse, at);
  const Tensor by_right = matmul(a.u, adjoint(right, at), at);
  return add(matmul(left, adjoint(a.v, at), at), by_right, at);
}

Tensors pulled(const SvdAttrs&, const GradCtx& cx, TensorSpan g) {
  const Where at = cx.where;
  const Vectors a(cx.outputs, at);
  if (!g[0].defined() && !g[2].defined()) {
    const Tensor vh = adjoint(a.v, at);
    return {matmul(scaled_columns(a.u, g[1], at), vh, at)};
  }
  const auto none = [&](const Tensor& x) { return zeros(Shape(x.shape()), x.dtype(), at); };
  const Tensor gu = g[0].defined() ? gathered(g[0], a.u, a.u2, at) : none(a.u);
  const Tensor gv = g[2].defined() ? gathered(adjoint(g[2], at), a.v, a.v2, at) : none(a.v);
  return {pulled_vectors(a, gu, gv, g[1])};
}

}  // namespace

Tensors svd(const Tensor& x, bool full_matrices, Where where) {
  return apply_all(kSvd, inputs(x), SvdAttrs{full_matrices}, where);
}

}  // namespace linalg

constinit const OpDef kSvd{
    .name = "svd",
    .module = "linalg",
    .doc =
        "`x = u diag(s) vh` with orthonormal columns `u` and rows `vh` and singular values `s`, "
        "descending. The first large entry of each column of `u` (its square at least 0.3 of the "
        "greatest) is positive, which makes the vectors unique, in derivatives too. Where singular "
        "values are equal or 0 their vectors are any basis of the space, and the gradient takes "
        "them as not mixing, as it does the vectors that `full_matrices` adds: right for functions "
        "of the spaces alone. A matrix with a NaN or an infinity gives NaN; one whose iteration "
        "does not converge raises.",
    .inputs = {"x: inexact"},
    .outputs = {"u: like x", "s: floating", "vh: like x"},
    .attrs = attrs_type<linalg::SvdAttrs>(),
    .laws = {Law{"rank", "a matrix has two axes"}},
    .infer = rule<linalg::svd_infer>(),
    .grad = derive::rules<linalg::pulled, linalg::pushed>().reading(0, true),
    .batch = batch::broadcasting(),
    .kernel = kernel::native<linalg::run>(),
    .known_as = {Alias{"numpy", "linalg.svd"}, Alias{"torch", "linalg.svd"},
                 Alias{"jax", "numpy.linalg.svd"}, Alias{"tf", "linalg.svd"}},
};

}  // namespace weft
