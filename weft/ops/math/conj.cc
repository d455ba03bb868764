// conj: elementwise complex conjugate.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return is_complex(x.dtype()) ? conj(x) : x; }

// Linear over the reals: its adjoint is itself.
Tensors transpose(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  return {conj(g[0], cx.where)};
}

}  // namespace

constinit const OpDef kConj{
    .name = "conj",
    .doc = "Elementwise complex conjugate; real numbers are their own.",
    .inputs = {"x: numeric"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::linear<transpose>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "conj"}, Alias{"numpy", "conjugate"}, Alias{"torch", "conj"},
                 Alias{"jax", "numpy.conj"}, Alias{"tf", "math.conj"}},
};

Tensor conj(const Tensor& x, Where where) {
  return is_complex(x.dtype()) ? apply(kConj, inputs(x), kNoAttrs, where) : x;
}

}  // namespace weft
