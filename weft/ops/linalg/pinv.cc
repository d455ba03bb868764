// pinv: the pseudo-inverse of Moore and Penrose.
#include "weft/op/native_outputs.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/matrices.h"
#include "weft/ops/linalg/phases.h"
#include "weft/ops/linalg/rank.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace linalg {
namespace {

Types pinv_infer(const RankAttrs& at, const InferCtx& cx, TypeSpan in) {
  require_matrix(cx, in[0]);
  require_tolerance(cx, at);
  const ShapeView batch = batch_of(in[0].shape);
  return {{in[0].dtype, with_matrix(batch, in[0].shape.back(), in[0].shape[batch.size()])}};
}

// v diag(1 / s) u^H of the singular values above the bound.
void run(const RankAttrs& at, TensorSpan in, TensorSpan out) {
  const Where line{};
  const Tensors a = svd(computed(in[0]), false);
  const Tensor counts = is_counted(a[1], in[0], at);
  const Tensor inverse = where(counts, reciprocal(where(counts, a[1], 1)), 0);
  // Where a value is NaN, so is the whole.
  const Tensor scale = where(isnan(a[1]), a[1], inverse);
  const Tensor v = scaled_columns(adjoint(a[2], line), scale, line);
  store(out[0], matmul(v, adjoint(a[0], line)));
}

// What of a matrix lies outside y x y: x - a p x or x - x p a, by the order of the factors.
Tensor outside_left(const Tensor& a, const Tensor& p, const Tensor& x, Where at) {
  return subtract(x, matmul(a, matmul(p, x, at), at), at);
}
Tensor outside_right(const Tensor& x, const Tensor& a, const Tensor& p, Where at) {
  return subtract(x, matmul(matmul(x, a, at), p, at), at);
}

// G. Golub and V. Pereyra, 1973, for a rank that stays: dp = -p da p + p p^H da^H (1 - a p)
// + (1 - p a) da^H p^H p.
Tensors pushed(const RankAttrs&, const GradCtx& cx, TensorSpan d) {
  const Where at = cx.where;
  const Tensor &a = cx.inputs[0], &p = cx.outputs[0], dh = adjoint(d[0], at), ph = adjoint(p, at);
  const Tensor middle = negative(matmul(matmul(p, d[0], at), p, at), at);
  const Tensor right = outside_right(matmul(p, matmul(ph, dh, at), at), a, p, at);
  const Tensor left = outside_left(p, a, matmul(matmul(dh, ph, at), p, at), at);
  return {add(add(middle, right, at), left, at)};
}

Tensors pulled(const RankAttrs&, const GradCtx& cx, TensorSpan g) {
  const Where at = cx.where;
  const Tensor &a = cx.inputs[0], &p = cx.outputs[0], gh = adjoint(g[0], at), ph = adjoint(p, at);
  const Tensor middle = negative(matmul(matmul(ph, g[0], at), ph, at), at);
  const Tensor right = outside_left(a, p, matmul(matmul(gh, p, at), ph, at), at);
  const Tensor left = outside_right(matmul(ph, matmul(p, gh, at), at), p, a, at);
  return {add(add(middle, right, at), left, at)};
}

}  // namespace

Tensor pinv(const Tensor& x, std::optional<double> rtol, Where where) {
  return apply(kPinv, inputs(x), RankAttrs{rtol}, where);
}

}  // namespace linalg

constinit const OpDef kPinv{
    .name = "pinv",
    .module = "linalg",
    .doc =
        "The pseudo-inverse of each matrix, by its singular values; those up to `rtol` times the "
        "greatest count as 0. The gradient takes the rank as constant. A matrix with a NaN or an "
        "infinity gives NaN.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<linalg::RankAttrs>(),
    .laws = {Law{"rank", "a matrix has two axes"}, Law{"rtol", "the bound is at least 0"}},
    .infer = rule<linalg::pinv_infer>(),
    .grad = derive::rules<linalg::pulled, linalg::pushed>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::native<linalg::run>(),
    .known_as = {Alias{"numpy", "linalg.pinv"}, Alias{"torch", "linalg.pinv"},
                 Alias{"jax", "numpy.linalg.pinv"}, Alias{"tf", "linalg.pinv"}},
};

}  // namespace weft
