// svdvals: singular values.
#include "weft/core/native.h"
#include "weft/op/native_outputs.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/phases.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace linalg {
namespace {

Types svdvals_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  const Dim k = short_side(cx, in[0]);
  return {{real_of(in[0].dtype), with_vector(batch_of(in[0].shape), k)}};
}

void run(const NoAttrs&, TensorSpan in, TensorSpan out) {
  const Tensor a = computed(in[0]), s = output_in(real_of(a.dtype()), out[0]);
  native::svd(s, Tensor(), Tensor(), a, {"svdvals", "converge"});
  store(out[0], s);
}

// ds = diagonal(u^H dx v): the vectors are computed only where a derivative is.
Tensors pushed(const NoAttrs&, const GradCtx& cx, TensorSpan d) {
  const Where at = cx.where;
  const Tensors a = svd(cx.inputs[0], false, at);
  const Tensor turned = matmul(d[0], adjoint(a[2], at), at);
  const Tensor p = matmul(adjoint(a[0], at), turned, at);
  return {real(diagonal(p, 0, at), at)};
}

Tensors pulled(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  const Tensors a = svd(cx.inputs[0], false, cx.where);
  return {matmul(scaled_columns(a[0], g[0], cx.where), a[2], cx.where)};
}

}  // namespace

Tensor svdvals(const Tensor& x, Where where) { return apply(kSvdvals, inputs(x), kNoAttrs, where); }

}  // namespace linalg

constinit const OpDef kSvdvals{
    .name = "svdvals",
    .module = "linalg",
    .doc =
        "The singular values of each matrix, descending. Quicker than `svd`, to the last bits "
        "different. A matrix with a NaN or an infinity gives NaN.",
    .inputs = {"x: inexact"},
    .outputs = {"out: floating"},
    .laws = {Law{"rank", "a matrix has two axes"}},
    .infer = rule<linalg::svdvals_infer>(),
    .grad = derive::rules<linalg::pulled, linalg::pushed>().reading(1, false),
    .batch = batch::broadcasting(),
    .kernel = kernel::native<linalg::run>(),
    .known_as = {Alias{"numpy", "linalg.svdvals"}, Alias{"torch", "linalg.svdvals"},
                 Alias{"jax", "numpy.linalg.svdvals"}},
};

}  // namespace weft
