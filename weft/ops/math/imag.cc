// imag: imaginary part.
#include "weft/op/apply.h"
#include "weft/ops/math/complex_parts.h"

namespace weft {
namespace {

Types real_types(const NoAttrs&, const InferCtx&, TypeSpan in) {
  return {{real_of(in[0].dtype), in[0].shape}};
}

// The cotangent of the imaginary part, times i.
Tensors transpose(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  const Tensor& x = cx.inputs[0];
  if (!is_complex(x.dtype())) return {zeros(Shape(x.shape()), x.dtype(), cx.where)};
  return {g[0] * imaginary_unit(x.dtype(), cx.where)};
}

Expr meaning(Expr x) { return imag(x); }

}  // namespace

constinit const OpDef kImag{
    .name = "imag",
    .doc = "Elementwise imaginary part of a complex number; 0 for real numbers.",
    .inputs = {"x: numeric"},
    .outputs = {"out: real"},
    .infer = rule<real_types>(),
    .grad = derive::linear<transpose>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "imag"}, Alias{"torch", "imag"}, Alias{"jax", "numpy.imag"},
                 Alias{"tf", "math.imag"}},
};

Tensor imag(const Tensor& x, Where where) { return apply(kImag, inputs(x), kNoAttrs, where); }

}  // namespace weft
