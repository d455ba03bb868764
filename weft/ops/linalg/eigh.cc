// eigh: eigenvalues and eigenvectors of Hermitian matrices.
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

Types eigh_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  require_square(cx, in[0]);
  const Shape& shape = in[0].shape;
  return {{real_of(in[0].dtype), with_vector(batch_of(shape), shape.back())}, in[0]};
}

void run(const NoAttrs&, TensorSpan in, TensorSpan out) {
  const Tensor a = computed(in[0]), vectors = output_in(a.dtype(), out[1]);
  const Tensor values = output_in(real_of(a.dtype()), out[0]);
  native::eigh(values, vectors, a, {"eigh", "converge"});
  store(out[0], values);
  store(out[1], vectors);
}

// With p = v^H dx v: dw = diagonal(p), dv = v (p / gaps), turned back to the phase that is given.
Tensors pushed(const NoAttrs&, const GradCtx& cx, TensorSpan d) {
  const Where at = cx.where;
  const Tensor &w = cx.outputs[0], &v = cx.outputs[1];
  const Tensor turned = matmul(hermitian(d[0], at), v, at);
  const Tensor p = matmul(adjoint(v, at), turned, at);
  const Tensor dw = real(diagonal(p, 0, at), at);
  Tensor dv = matmul(v, multiply(p, reciprocal_gaps(w, at), at), at);
  if (has_phase(v)) {
    dv = add(dv, multiply(v, PhaseRule(v, at).turn(dv), at), at);
  }
  return {dw, dv};
}

Tensors pulled(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  const Where at = cx.where;
  const Tensor &w = cx.outputs[0], &v = cx.outputs[1];
  if (!g[1].defined()) {
    const Tensor back = adjoint(v, at);
    return {hermitian(matmul(scaled_columns(v, g[0], at), back, at), at)};
  }
  Tensor gv = g[1];
  if (has_phase(v)) {
    const Tensor pull = imag(sum(multiply(conj(v, at), gv, at), Ints{-2}, true, at), at);
    gv = add(gv, PhaseRule(v, at).turned_back(pull), at);
  }
  const Tensor gaps = reciprocal_gaps(w, at);
  Tensor inner = multiply(matmul(adjoint(v, at), gv, at), gaps, at);
  if (g[0].defined()) inner = add(inner, diagonal_matrix(g[0], at), at);
  const Tensor back = adjoint(v, at);
  return {hermitian(matmul(matmul(v, inner, at), back, at), at)};
}

}  // namespace

Tensors eigh(const Tensor& x, Where where) { return apply_all(kEigh, inputs(x), kNoAttrs, where); }

}  // namespace linalg

constinit const OpDef kEigh{
    .name = "eigh",
    .module = "linalg",
    .doc =
        "The eigenvalues of each Hermitian matrix, ascending, and its orthonormal eigenvectors as "
        "columns: `x v = v * w`. What is decomposed is the Hermitian part `(x + x^H) / 2`, so the "
        "gradient is Hermitian. A vector's first large entry (its square at least 0.3 of the "
        "greatest) is positive, which makes it unique, in derivatives too. Where eigenvalues are "
        "equal their vectors are any basis of the space, and the gradient takes them as not "
        "mixing: "
        "right for functions of the space alone. A matrix with a NaN or an infinity gives NaN; one "
        "whose iteration does not converge raises.",
    .inputs = {"x: inexact"},
    .outputs = {"eigenvalues: floating", "eigenvectors: like x"},
    .laws = {Law{"rank", "a matrix has two axes"}, Law{"square", "matrices are square"}},
    .infer = rule<linalg::eigh_infer>(),
    .grad = derive::rules<linalg::pulled, linalg::pushed>().reading(0, true),
    .batch = batch::broadcasting(),
    .kernel = kernel::native<linalg::run>(),
    .known_as = {Alias{"numpy",
                       "linalg.eigh: it reads one triangle, ours the Hermitian part (x + x^H) / 2"},
                 Alias{"torch",
                       "linalg.eigh: it reads one triangle, ours the Hermitian part (x + x^H) / 2"},
                 Alias{"jax", "numpy.linalg.eigh"}, Alias{"tf", "linalg.eigh"}},
};

}  // namespace weft
