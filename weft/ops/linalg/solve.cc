// solve: systems of equations.
#include "weft/core/native.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/systems.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace linalg {
namespace {

Types solve_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  return {{in[0].dtype, system_shape(cx, in)}};
}

void run(const NoAttrs&, TensorSpan in, TensorSpan out) {
  run_system(in, out[0], [](const Tensor& x, const Tensor& a, const Tensor& b) {
    native::solve(x, a, b, {"solve", "singular"});
  });
}

// dx = a^-1 (db - da x).
Tensors pushed(const NoAttrs&, const GradCtx& cx, TensorSpan d) {
  Tensor right = d[1];
  if (d[0].defined()) {
    const Tensor moved = product(d[0], cx.outputs[0], cx.inputs[1].rank() == 1, cx.where);
    right = right.defined() ? subtract(right, moved, cx.where) : negative(moved, cx.where);
  }
  return {solve_like(cx, right, [&](const Tensor& b) { return solve(cx.inputs[0], b, cx.where); })};
}

// gb = a^-H g; ga = -gb x^H.
Tensors pulled(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  const Tensor a = adjoint(cx.inputs[0], cx.where);
  const Tensor gb = solve_like(cx, g[0], [&](const Tensor& b) { return solve(a, b, cx.where); });
  Tensors out{Tensor(), gb};
  if (cx.wanted[0]) {
    const bool vectors = cx.inputs[1].rank() == 1;
    out[0] = negative(outer_product(gb, cx.outputs[0], vectors, cx.where), cx.where);
  }
  return out;
}

Tensors batched(const NoAttrs&, const BatchCtx& cx) {
  return batched_system(cx,
                        [&](const Tensor& a, const Tensor& b) { return solve(a, b, cx.where); });
}

}  // namespace

Tensor solve(const Tensor& a, const Tensor& b, Where where) {
  return apply(kSolve, inputs(a, b), kNoAttrs, where);
}

}  // namespace linalg

constinit const OpDef kSolve{
    .name = "solve",
    .module = "linalg",
    .doc =
        "The `x` with `a x = b`, by elimination with row exchanges. `b` is one vector, if it has "
        "one axis, or a batch of matrices; leading axes broadcast. A matrix with a NaN or an "
        "infinity gives NaN, so does a column of `b`; a singular matrix raises.",
    .inputs = {"a: inexact", "b: like a"},
    .outputs = {"out: like a"},
    .laws = {Law{"rank", "a matrix has two axes"}, Law{"square", "matrices are square"},
             Law{"rows", "b has as many rows as a"}, Law{"singular", "matrices have an inverse"}},
    .infer = rule<linalg::solve_infer>(),
    .grad = derive::rules<linalg::pulled, linalg::pushed>().reading(1, true),
    .batch = batch::rule<linalg::batched>(),
    .kernel = kernel::native<linalg::run>(),
    .known_as = {Alias{"numpy", "linalg.solve"}, Alias{"torch", "linalg.solve"},
                 Alias{"jax", "numpy.linalg.solve"}, Alias{"tf", "linalg.solve"}},
};

}  // namespace weft
