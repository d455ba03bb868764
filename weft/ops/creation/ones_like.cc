// ones_like: ones of the shape and dtype of another tensor.
#include "weft/op/apply.h"
#include "weft/ops/creation/creation.h"

namespace weft {
namespace {

Tensors compose_ones_like(const LikeAttrs& at, TensorSpan in) {
  return {ones(Shape(in[0].shape()), at.dtype.value_or(in[0].dtype()))};
}

}  // namespace

constinit const CompositeDef kOnesLike{
    .name = "ones_like",
    .doc = "A tensor of ones of the shape of `x`, and of its dtype unless one is given.",
    .inputs = {"x: any"},
    .outputs = {"out: any"},
    .attrs = attrs_type<LikeAttrs>(),
    .compose = rule<compose_ones_like>(),
    .known_as = {Alias{"numpy", "ones_like"}, Alias{"torch", "ones_like"},
                 Alias{"jax", "numpy.ones_like"}, Alias{"tf", "ones_like"}},
};

Tensor ones_like(const Tensor& x, std::optional<DType> dtype, Where where) {
  return compose(kOnesLike, inputs(x), LikeAttrs{dtype}, where);
}

}  // namespace weft
