// cast: converts elements to another dtype (`astype` of the array API).
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Types cast_infer(const CastAttrs& at, const InferCtx&, TypeSpan in) {
  return {{at.dtype, in[0].shape}};
}

// Linear between inexact dtypes: the cotangent is cast back.
Tensors transpose(const CastAttrs&, const GradCtx& cx, TensorSpan g) {
  return {cast(g[0], cx.inputs[0].dtype(), cx.where)};
}

}  // namespace

constinit const OpDef kCast{
    .name = "cast",
    .doc =
        "Converts every element to `dtype`. Floats are rounded to nearest even; a float that an "
        "integer dtype cannot "
        "hold saturates and NaN becomes 0; integers keep their low bits; complex to real drops the "
        "imaginary part; "
        "anything non-zero is true.",
    .inputs = {"x: any"},
    .outputs = {"out: any"},
    .attrs = attrs_type<CastAttrs>(),
    .infer = rule<cast_infer>(),
    .grad = derive::linear<transpose>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::cast(),
    .known_as = {Alias{"numpy", "astype"}, Alias{"torch", "to"},
                 Alias{"jax", "lax.convert_element_type"}, Alias{"tf", "cast"}},
};

Tensor cast(const Tensor& x, DType dtype, Where where) {
  return x.dtype() == dtype && !x.is_weak() ? x : apply(kCast, inputs(x), CastAttrs{dtype}, where);
}

}  // namespace weft
