// ones: a tensor of ones; one stored element, repeated by stride 0.
#include "weft/op/apply.h"
#include "weft/ops/creation/creation.h"

namespace weft {
namespace {

Tensors compose_ones(const FillAttrs& at, TensorSpan) {
  fill_infer(at, InferCtx{"ones"}, {});
  return {broadcast_to(Tensor::scalar(at.dtype, 1), at.shape)};
}

}  // namespace

constinit const CompositeDef kOnes{
    .name = "ones",
    .doc = "A tensor of ones.",
    .inputs = {},
    .outputs = {"out: any"},
    .attrs = attrs_type<FillAttrs>(),
    .laws = {Law{"negative", "sizes are at least 0"}},
    .compose = rule<compose_ones>(),
    .known_as = {Alias{"numpy", "ones"}, Alias{"torch", "ones"}, Alias{"jax", "numpy.ones"},
                 Alias{"tf", "ones"}},
};

Tensor ones(const Shape& shape, DType dtype, Where where) {
  return compose(kOnes, {}, FillAttrs{shape, dtype}, where);
}

}  // namespace weft
