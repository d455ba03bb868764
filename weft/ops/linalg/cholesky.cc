// cholesky: the triangular factor of a positive definite matrix.
#include "weft/core/native.h"
#include "weft/op/native_outputs.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/matrices.h"

namespace weft {
namespace linalg {
namespace {

struct CholeskyAttrs {
  bool upper = false;
  static constexpr auto fields =
      fields_of(field("upper", &CholeskyAttrs::upper, "give the upper factor, x = u^H u"));
};

Types cholesky_infer(const CholeskyAttrs&, const InferCtx& cx, TypeSpan in) {
  require_square(cx, in[0]);
  return {in[0]};
}

void run(const CholeskyAttrs& at, TensorSpan in, TensorSpan out) {
  const Tensor a = computed(in[0]), result = output_in(a.dtype(), out[0]);
  native::cholesky(result, a, at.upper, {"cholesky", "positive"});
  store(out[0], result);
}

// inverse(l) x inverse(l)^H, and the same with l^H for l.
Tensor divided(const Tensor& l, const Tensor& x, bool by_adjoint, Where at) {
  const Tensor half = solve_triangular(l, x, false, by_adjoint, false, at);
  return adjoint(solve_triangular(l, adjoint(half, at), false, by_adjoint, false, at), at);
}

// I. Murray, "Differentiation of the Cholesky decomposition", 2016: dl = l half(l^-1 dx l^-H), of
// the Hermitian part of dx.
Tensors pushed(const CholeskyAttrs& at, const GradCtx& cx, TensorSpan dx) {
  const Where line = cx.where;
  const Tensor l = at.upper ? adjoint(cx.outputs[0], line) : cx.outputs[0];
  const Tensor inner = divided(l, hermitian(dx[0], line), false, line);
  const Tensor dl = matmul(l, half_lower(inner, line), line);
  return {at.upper ? adjoint(dl, line) : dl};
}

Tensors pulled(const CholeskyAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Where line = cx.where;
  const Tensor l = at.upper ? adjoint(cx.outputs[0], line) : cx.outputs[0];
  const Tensor gl = at.upper ? adjoint(g[0], line) : g[0];
  const Tensor inner = half_lower(matmul(adjoint(l, line), gl, line), line);
  return {hermitian(divided(l, inner, true, line), line)};
}

}  // namespace

Tensor cholesky(const Tensor& x, bool upper, Where where) {
  return apply(kCholesky, inputs(x), CholeskyAttrs{upper}, where);
}

}  // namespace linalg

constinit const OpDef kCholesky{
    .name = "cholesky",
    .module = "linalg",
    .doc =
        "The lower triangular `l` with a positive diagonal and `x = l l^H`, for each positive "
        "definite matrix of a batch. What is factored is the Hermitian part `(x + x^H) / 2`, so "
        "the gradient is Hermitian. A matrix with a NaN or an infinity gives NaN; one that is not "
        "positive definite raises.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<linalg::CholeskyAttrs>(),
    .laws = {Law{"rank", "a matrix has two axes"}, Law{"square", "matrices are square"},
             Law{"positive", "matrices are positive definite"}},
    .infer = rule<linalg::cholesky_infer>(),
    .grad = derive::rules<linalg::pulled, linalg::pushed>().reading(0, true),
    .batch = batch::broadcasting(),
    .kernel = kernel::native<linalg::run>(),
    .known_as = {Alias{"numpy", "linalg.cholesky"}, Alias{"torch", "linalg.cholesky"},
                 Alias{"jax", "numpy.linalg.cholesky"}, Alias{"tf", "linalg.cholesky"}},
};

}  // namespace weft
