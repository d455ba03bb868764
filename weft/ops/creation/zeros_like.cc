// zeros_like: zeros of the shape and dtype of another tensor.
#include "weft/op/apply.h"
#include "weft/ops/creation/creation.h"

namespace weft {
namespace {

Tensors compose_zeros_like(const LikeAttrs& at, TensorSpan in) {
  return {zeros(Shape(in[0].shape()), at.dtype.value_or(in[0].dtype()))};
}

}  // namespace

constinit const CompositeDef kZerosLike{
    .name = "zeros_like",
    .doc = "A tensor of zeros of the shape of `x`, and of its dtype unless one is given.",
    .inputs = {"x: any"},
    .outputs = {"out: any"},
    .attrs = attrs_type<LikeAttrs>(),
    .compose = rule<compose_zeros_like>(),
    .known_as = {Alias{"numpy", "zeros_like"}, Alias{"torch", "zeros_like"},
                 Alias{"jax", "numpy.zeros_like"}, Alias{"tf", "zeros_like"}},
};

Tensor zeros_like(const Tensor& x, std::optional<DType> dtype, Where where) {
  return compose(kZerosLike, inputs(x), LikeAttrs{dtype}, where);
}

}  // namespace weft
