// det: determinants, with cofactors for a gradient: they exist for singular matrices, too.
#include "weft/ops/linalg/det.h"

#include "weft/op/native_outputs.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/matrices.h"
#include "weft/ops/linalg/phases.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace linalg {

Tensor exchange_sign(const Tensor& pivots, DType dtype) {
  const Tensor exchanged = not_equal(pivots, positions(pivots.dim(-1), Where{}));
  return prod(1.0 - 2.0 * cast(exchanged, dtype), Ints{-1});
}

namespace {

// A number for each matrix beside its rows and columns, and the sum over a matrix.
Tensor beside(const Tensor& x, Where at) {
  Shape shape(x.shape());
  shape.push_back(1);
  shape.push_back(1);
  return reshape(x, shape, at);
}
Tensor summed(const Tensor& x, Where at) { return sum(x, Ints{-2, -1}, false, at); }

// ---- the value ----

Types value_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  require_square(cx, in[0]);
  return {{in[0].dtype, Shape(batch_of(in[0].shape))}};
}

void value_run(const NoAttrs&, TensorSpan in, TensorSpan out) {
  const Tensors factors = lu_factor(computed(in[0]));
  const Tensor sign = exchange_sign(factors[1], factors[0].dtype());
  store(out[0], sign * prod(diagonal(factors[0]), Ints{-1}));
}

Tensor cofactors(const Tensor& x, Where at) {
  return apply(kDetCofactors, inputs(x), kNoAttrs, at);
}

// C. G. J. Jacobi: the derivative by an element is its cofactor.
Tensors value_pushed(const NoAttrs&, const GradCtx& cx, TensorSpan d) {
  return {summed(multiply(cofactors(cx.inputs[0], cx.where), d[0], cx.where), cx.where)};
}
Tensors value_pulled(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  const Tensor c = conj(cofactors(cx.inputs[0], cx.where), cx.where);
  return {multiply(beside(g[0], cx.where), c, cx.where)};
}

// ---- the cofactors ----

Types cofactors_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  require_square(cx, in[0]);
  return {in[0]};
}

// Of x = u diag(s) vh they are det(u vh) conj(u) diag(products of the other s) conj(vh).
void cofactors_run(const NoAttrs&, TensorSpan in, TensorSpan out) {
  const Tensor x = computed(in[0]);
  if (x.numel() == 0) return;
  const Tensors a = svd(x, false);
  // Row i holds the values with a 1 in the place of the i-th.
  const Tensor places = positions(x.dim(-1), {});
  const Tensor own = equal(expand_dims(places, 1), places);
  const Tensor others = prod(where(own, 1.0, expand_dims(a[1], -2)), Ints{-1});
  const Tensor of_v = linalg::det(a[2]), scale = linalg::det(a[0]) * of_v;
  const Tensor u = scaled_columns(conj(a[0]), others, {}), product = matmul(u, conj(a[2]));
  store(out[0], beside(scale, {}) * product);
}

// For a derivative of the cofactors; what is missing is missed by det.
Tensor regular_inverse(const Tensor& x, Where at) {
  try {
    return inv(x, at);
  } catch (const Error& error) {
    if (error.law != "singular") throw;
    fail(error.code, "det", "singular", "its second derivative is by the inverse, but ",
         error.message);
  }
}

// c = det(x) x^-T: dc = tr(x^-1 dx) c - x^-T dx^T c, which needs a regular matrix.
Tensors cofactors_pushed(const NoAttrs&, const GradCtx& cx, TensorSpan d) {
  const Where at = cx.where;
  const Tensor &c = cx.outputs[0], inverse = transposed(regular_inverse(cx.inputs[0], at), at);
  const Tensor growth = beside(summed(multiply(inverse, d[0], at), at), at);
  const Tensor turned = matmul(inverse, matmul(transposed(d[0], at), c, at), at);
  return {subtract(multiply(growth, c, at), turned, at)};
}
Tensors cofactors_pulled(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  const Where at = cx.where;
  const Tensor c = conj(cx.outputs[0], at),
               inverse = adjoint(regular_inverse(cx.inputs[0], at), at);
  const Tensor growth = beside(summed(multiply(g[0], c, at), at), at);
  const Tensor turned = matmul(matmul(c, transposed(g[0], at), at), inverse, at);
  return {subtract(multiply(growth, inverse, at), turned, at)};
}

Tensors compose_det(const NoAttrs&, TensorSpan in) {
  const Tensor x = as_inexact(in[0]);
  decide_square(InferCtx{"det"}, x.type());
  return {apply(kDetValue, inputs(x), kNoAttrs, Where{})};
}

}  // namespace

Tensor det(const Tensor& x, Where where) { return compose(kDet, inputs(x), kNoAttrs, where); }

}  // namespace linalg

constinit const CompositeDef kDet{
    .name = "det",
    .module = "linalg",
    .doc =
        "The determinant of each matrix of a batch, by elimination with row exchanges; 1 for a "
        "matrix without elements. `slogdet` does not overflow. The gradient, the cofactors, exists "
        "for singular matrices too; their second derivative raises.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .laws = {Law{"rank", "a matrix has two axes"}, Law{"square", "matrices are square"}},
    .compose = rule<linalg::compose_det>(),
    .known_as = {Alias{"numpy", "linalg.det"}, Alias{"torch", "linalg.det"},
                 Alias{"jax", "numpy.linalg.det"}, Alias{"tf", "linalg.det"}},
};

constinit const OpDef kDetValue{
    .name = "det.value",
    .module = "linalg",
    .doc = "The determinant of each matrix, by elimination with row exchanges.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .laws = {Law{"rank", "a matrix has two axes"}, Law{"square", "matrices are square"}},
    .infer = rule<linalg::value_infer>(),
    .grad = derive::rules<linalg::value_pulled, linalg::value_pushed>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::native<linalg::value_run>(),
};

constinit const OpDef kDetCofactors{
    .name = "det.cofactors",
    .module = "linalg",
    .doc =
        "The cofactors of each matrix, `det(x)` times the transposed inverse where there is one, "
        "by "
        "singular values. The gradient of a singular matrix raises.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .laws = {Law{"rank", "a matrix has two axes"}, Law{"square", "matrices are square"}},
    .infer = rule<linalg::cofactors_infer>(),
    .grad = derive::rules<linalg::cofactors_pulled, linalg::cofactors_pushed>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::native<linalg::cofactors_run>(),
};

}  // namespace weft
