// qr: a matrix as orthonormal columns times an upper triangle.
#include "weft/core/native.h"
#include "weft/op/native_outputs.h"
#include "weft/op/staged_size.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/matrices.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace linalg {
namespace {

struct QrAttrs {
  std::string mode = "reduced";
  static constexpr auto fields = fields_of(
      field("mode", &QrAttrs::mode,
            "'reduced': as many columns of q as the shorter side; 'complete': a square q"));
};

Types qr_infer(const QrAttrs& at, const InferCtx& cx, TypeSpan in) {
  const Dim k = short_side(cx, in[0]);
  const bool is_known = at.mode == "reduced" || at.mode == "complete";
  cx.require(is_known, "mode", "mode is '", at.mode, "'; it must be 'reduced' or 'complete'");
  const ShapeView batch = batch_of(in[0].shape);
  const Dim rows = in[0].shape[batch.size()], columns = in[0].shape.back();
  const Dim wide = at.mode == "complete" ? rows : k;
  return {{in[0].dtype, with_matrix(batch, rows, wide)},
          {in[0].dtype, with_matrix(batch, wide, columns)}};
}

void run(const QrAttrs&, TensorSpan in, TensorSpan out) {
  const Tensor a = computed(in[0]), q = output_in(a.dtype(), out[0]);
  const Tensor r = output_in(a.dtype(), out[1]);
  native::qr(q, r, a, {"qr", ""});
  store(out[0], q);
  store(out[1], r);
}

// The factors in parts: a = [a1 a2] with k = min(m, n) columns in a1 = q1 r1, r2 = q1^H a2, and the
// columns q2 that complete q.
struct Parts {
  Dim m, n, k;
  Tensor q1, q2, r1;
  Where at;

  Parts(const Tensor& a, const Tensor& q, const Tensor& r, Where at)
      : m(a.dim(-2)), n(a.dim(-1)), at(at) {
    k = lesser(m, n);
    q1 = first_columns(q, q2);
    r1 = triangle_of(r);
  }
  // The first k columns, and into `rest` what follows them.
  Tensor first_columns(const Tensor& x, Tensor& rest) const {
    if (decide_less(k, x.dim(-1)) == Tri::kNo) return x;
    rest = columns(x, k, x.dim(-1), at);
    return columns(x, 0, k, at);
  }
  // The square part of r.
  Tensor triangle_of(const Tensor& r) const {
    Tensor beside;
    const Tensor top = decide_less(k, r.dim(-2)) == Tri::kNo ? r : rows(r, 0, k, at);
    return first_columns(top, beside);
  }
  // x r1^-1 and x r1^-H.
  Tensor by_r(const Tensor& x, bool conjugated) const {
    return adjoint(solve_triangular(r1, adjoint(x, at), true, !conjugated, false, at), at);
  }
};

Tensor plus(const Tensor& a, const Tensor& b, Where at) { return a.defined() ? add(a, b, at) : b; }

// With c = q1^H da1 r1^-1: t = half_upper(c + c^H), dr1 = t r1, dq1 = da1 r1^-1 - q1 t. The columns
// q2 are carried along without turning among themselves: dq2 = -q1 dq1^H q2.
Tensors pushed(const QrAttrs&, const GradCtx& cx, TensorSpan d) {
  const Where at = cx.where;
  const Parts p(cx.inputs[0], cx.outputs[0], cx.outputs[1], at);
  Tensor da2, a2;
  const Tensor scaled = p.by_r(p.first_columns(d[0], da2), false);
  p.first_columns(cx.inputs[0], a2);
  const Tensor c = matmul(adjoint(p.q1, at), scaled, at);
  const Tensor t = half_upper(add(c, adjoint(c, at), at), at);
  Tensor dq = subtract(scaled, matmul(p.q1, t, at), at), dr = matmul(t, p.r1, at);
  if (da2.defined()) {
    const Tensor turned = matmul(adjoint(dq, at), a2, at);
    const Tensor dr2 = add(turned, matmul(adjoint(p.q1, at), da2, at), at);
    dr = concat(Tensors{dr, dr2}, -1, at);
  }
  if (p.q2.defined()) {
    const Tensor dq2 = negative(matmul(p.q1, matmul(adjoint(dq, at), p.q2, at), at), at);
    dq = concat(Tensors{dq, dq2}, -1, at);
    const Tensor below = zeros(with_matrix(batch_of(dr.shape()), p.m - p.k, p.n), dr.dtype(), at);
    dr = concat(Tensors{dr, below}, -2, at);
  }
  return {dq, dr};
}

// S. Walter and L. Lehmann, "Algorithmic differentiation of linear algebra functions", 2010.
Tensors pulled(const QrAttrs&, const GradCtx& cx, TensorSpan g) {
  const Where at = cx.where;
  const Parts p(cx.inputs[0], cx.outputs[0], cx.outputs[1], at);
  Tensor gq, gr, gq2, gr2, a2;
  if (g[0].defined()) gq = p.first_columns(g[0], gq2);
  if (gq2.defined()) {
    gq = subtract(gq, matmul(matmul(p.q2, adjoint(gq2, at), at), p.q1, at), at);
  }
  if (g[1].defined()) {
    const bool is_square = decide_less(p.k, g[1].dim(-2)) == Tri::kNo;
    gr = p.first_columns(is_square ? g[1] : rows(g[1], 0, p.k, at), gr2);
  }
  if (gr2.defined()) {
    p.first_columns(cx.inputs[0], a2);
    gq = plus(gq, matmul(a2, adjoint(gr2, at), at), at);
  }
  Tensor w;
  if (gr.defined()) w = matmul(gr, adjoint(p.r1, at), at);
  if (gq.defined()) w = plus(w, negative(matmul(adjoint(p.q1, at), gq, at), at), at);
  const Tensor half = half_upper(w, at);
  const Tensor inner = plus(gq, matmul(p.q1, add(half, adjoint(half, at), at), at), at);
  Tensor ga = p.by_r(inner, true);
  if (decide_less(p.k, p.n) != Tri::kNo) {
    const Dim more = p.n - p.k;
    const Tensor ga2 = gr2.defined()
                           ? matmul(p.q1, gr2, at)
                           : zeros(with_matrix(batch_of(ga.shape()), p.m, more), ga.dtype(), at);
    ga = concat(Tensors{ga, ga2}, -1, at);
  }
  return {ga};
}

}  // namespace

Tensors qr(const Tensor& x, const std::string& mode, Where where) {
  return apply_all(kQr, inputs(x), QrAttrs{mode}, where);
}

}  // namespace linalg

constinit const OpDef kQr{
    .name = "qr",
    .module = "linalg",
    .doc =
        "`x = q r` with orthonormal columns `q` and an upper triangle `r`, by Householder "
        "reflections. The diagonal of `r` is real and not negative, which makes both unique where "
        "the columns of `x` are independent. The gradient exists there; the further columns of a "
        "complete `q` count as carried along without turning among themselves, so it is right for "
        "functions that depend on the space they span alone. A matrix with a NaN or an infinity "
        "gives NaN.",
    .inputs = {"x: inexact"},
    .outputs = {"q: like x", "r: like x"},
    .attrs = attrs_type<linalg::QrAttrs>(),
    .laws = {Law{"rank", "a matrix has two axes"}, Law{"mode", "mode is reduced or complete"}},
    .infer = rule<linalg::qr_infer>(),
    .grad = derive::rules<linalg::pulled, linalg::pushed>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::native<linalg::run>(),
    .known_as = {Alias{"numpy", "linalg.qr"}, Alias{"torch", "linalg.qr"},
                 Alias{"jax", "numpy.linalg.qr"}, Alias{"tf", "linalg.qr"}},
};

}  // namespace weft
