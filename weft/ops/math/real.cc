// real: real part.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Types real_types(const NoAttrs&, const InferCtx&, TypeSpan in) {
  return {{real_of(in[0].dtype), in[0].shape}};
}

Tensors transpose(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  return {cast(g[0], cx.inputs[0].dtype(), cx.where)};
}

Expr meaning(Expr x) { return real(x); }

}  // namespace

constinit const OpDef kReal{
    .name = "real",
    .doc = "Elementwise real part of a complex number; real numbers are their own.",
    .inputs = {"x: numeric"},
    .outputs = {"out: real"},
    .infer = rule<real_types>(),
    .grad = derive::linear<transpose>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "real"}, Alias{"torch", "real"}, Alias{"jax", "numpy.real"},
                 Alias{"tf", "math.real"}},
};

Tensor real(const Tensor& x, Where where) { return apply(kReal, inputs(x), kNoAttrs, where); }

}  // namespace weft
