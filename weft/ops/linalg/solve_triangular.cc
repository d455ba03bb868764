// solve_triangular: systems of equations whose matrix is a triangle.
#include "weft/core/native.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/systems.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace linalg {
namespace {

struct TriangularAttrs {
  bool upper = false;
  bool adjoint = false;
  bool unit_diagonal = false;
  static constexpr auto fields = fields_of(
      field("upper", &TriangularAttrs::upper, "read the upper triangle of a, not the lower one"),
      field("adjoint", &TriangularAttrs::adjoint, "solve a^H x = b"),
      field("unit_diagonal", &TriangularAttrs::unit_diagonal,
            "take the diagonal of a as 1 without reading it"));
};

Types triangular_infer(const TriangularAttrs&, const InferCtx& cx, TypeSpan in) {
  return {{in[0].dtype, system_shape(cx, in)}};
}

void run(const TriangularAttrs& at, TensorSpan in, TensorSpan out) {
  run_system(in, out[0], [&](const Tensor& x, const Tensor& a, const Tensor& b) {
    native::solve_triangular(x, a, b, {at.upper, at.adjoint, at.unit_diagonal},
                             {"solve_triangular", "singular"});
  });
}

// The triangle that is read.
Tensor triangle(const TriangularAttrs& at, const Tensor& x, Where line) {
  const int64_t k = at.unit_diagonal ? 1 : 0;
  return at.upper ? upper(x, k, line) : lower(x, -k, line);
}

Tensor solved(const TriangularAttrs& at, const Tensor& a, const Tensor& b, Where line) {
  return solve_triangular(a, b, at.upper, at.adjoint, at.unit_diagonal, line);
}

// dx = a^-1 (db - da x).
Tensors pushed(const TriangularAttrs& at, const GradCtx& cx, TensorSpan d) {
  const Where line = cx.where;
  Tensor right = d[1];
  if (d[0].defined()) {
    const Tensor da = triangle(at, d[0], line);
    const Tensor moved =
        product(at.adjoint ? adjoint(da, line) : da, cx.outputs[0], cx.inputs[1].rank() == 1, line);
    right = right.defined() ? subtract(right, moved, line) : negative(moved, line);
  }
  return {
      solve_like(cx, right, [&](const Tensor& b) { return solved(at, cx.inputs[0], b, line); })};
}

// gb = a^-H g; ga = -gb x^H, within the triangle.
Tensors pulled(const TriangularAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Where line = cx.where;
  TriangularAttrs other = at;
  other.adjoint = !at.adjoint;
  const Tensor gb =
      solve_like(cx, g[0], [&](const Tensor& b) { return solved(other, cx.inputs[0], b, line); });
  Tensors out{Tensor(), gb};
  if (cx.wanted[0]) {
    const Tensor &x = cx.outputs[0], &left = at.adjoint ? x : gb, &right = at.adjoint ? gb : x;
    const bool vectors = cx.inputs[1].rank() == 1;
    out[0] = negative(triangle(at, outer_product(left, right, vectors, line), line), line);
  }
  return out;
}

Tensors batched(const TriangularAttrs& at, const BatchCtx& cx) {
  return batched_system(
      cx, [&](const Tensor& a, const Tensor& b) { return solved(at, a, b, cx.where); });
}

}  // namespace

Tensor solve_triangular(const Tensor& a, const Tensor& b, bool upper, bool adjoint,
                        bool unit_diagonal, Where where) {
  return apply(kSolveTriangular, inputs(a, b), TriangularAttrs{upper, adjoint, unit_diagonal},
               where);
}

}  // namespace linalg

constinit const OpDef kSolveTriangular{
    .name = "solve_triangular",
    .module = "linalg",
    .doc =
        "The `x` with `a x = b`, where only the lower (or upper) triangle of `a` is read. `b` is "
        "one vector, if it has one axis, or a batch of matrices; leading axes broadcast. A matrix "
        "with a NaN or an infinity gives NaN, so does a column of `b`; a zero on the diagonal "
        "raises. For `x a = b` transpose both sides.",
    .inputs = {"a: inexact", "b: like a"},
    .outputs = {"out: like a"},
    .attrs = attrs_type<linalg::TriangularAttrs>(),
    .laws = {Law{"rank", "a matrix has two axes"}, Law{"square", "matrices are square"},
             Law{"rows", "b has as many rows as a"},
             Law{"singular", "no element of the diagonal is 0"}},
    .infer = rule<linalg::triangular_infer>(),
    .grad = derive::rules<linalg::pulled, linalg::pushed>().reading(1, true),
    .batch = batch::rule<linalg::batched>(),
    .kernel = kernel::native<linalg::run>(),
    .known_as = {Alias{"torch", "linalg.solve_triangular"},
                 Alias{"jax", "scipy.linalg.solve_triangular"},
                 Alias{"tf", "linalg.triangular_solve"}},
};

}  // namespace weft
