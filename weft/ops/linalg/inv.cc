// inv: inverse matrices; inv.or_zero, for cond: 0 for a matrix that has none.
#include "weft/core/native.h"
#include "weft/op/native_outputs.h"
#include "weft/ops/linalg/cond.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/matrices.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace linalg {
namespace {

Types inv_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  require_square(cx, in[0]);
  return {in[0]};
}

template <bool raises>
void run(const NoAttrs&, TensorSpan in, TensorSpan out) {
  const Tensor a = computed(in[0]), result = output_in(a.dtype(), out[0]);
  native::inv(result, a, {"inv", raises ? "singular" : nullptr});
  store(out[0], result);
}

// d(x^-1) = -x^-1 dx x^-1.
Tensors pushed(const NoAttrs&, const GradCtx& cx, TensorSpan d) {
  const Tensor& y = cx.outputs[0];
  return {negative(matmul(matmul(y, d[0], cx.where), y, cx.where), cx.where)};
}

Tensors pulled(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  const Tensor y = adjoint(cx.outputs[0], cx.where);
  return {negative(matmul(matmul(y, g[0], cx.where), y, cx.where), cx.where)};
}

}  // namespace

Tensor inv(const Tensor& x, Where where) { return apply(kInv, inputs(x), kNoAttrs, where); }

}  // namespace linalg

constinit const OpDef kInv{
    .name = "inv",
    .module = "linalg",
    .doc =
        "The inverse of each matrix of a batch, by elimination with row exchanges. To solve "
        "equations `solve` is quicker and more accurate. A matrix with a NaN or an infinity gives "
        "NaN; a singular one raises.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .laws = {Law{"rank", "a matrix has two axes"}, Law{"square", "matrices are square"},
             Law{"singular", "matrices have an inverse"}},
    .infer = rule<linalg::inv_infer>(),
    .grad = derive::rules<linalg::pulled, linalg::pushed>().reading(0, true),
    .batch = batch::broadcasting(),
    .kernel = kernel::native<linalg::run<true>>(),
    .known_as = {Alias{"numpy", "linalg.inv"}, Alias{"torch", "linalg.inv"},
                 Alias{"torch", "inverse"}, Alias{"jax", "numpy.linalg.inv"},
                 Alias{"tf", "linalg.inv"}},
};

constinit const OpDef kInvOrZero{
    .name = "inv.or_zero",
    .module = "linalg",
    .doc = "`inv`, but 0 for a singular matrix, gradient and all: what `cond` is made of.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .laws = {Law{"rank", "a matrix has two axes"}, Law{"square", "matrices are square"}},
    .infer = rule<linalg::inv_infer>(),
    .grad = derive::rules<linalg::pulled, linalg::pushed>().reading(0, true),
    .batch = batch::broadcasting(),
    .kernel = kernel::native<linalg::run<false>>(),
};

}  // namespace weft
