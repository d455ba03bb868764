// empty_like: empty of the shape and dtype of another tensor.
#include "weft/op/apply.h"
#include "weft/ops/creation/creation.h"

namespace weft {
namespace {

Tensors compose_empty_like(const LikeAttrs& at, TensorSpan in) {
  return {empty(Shape(in[0].shape()), at.dtype.value_or(in[0].dtype()))};
}

}  // namespace

constinit const CompositeDef kEmptyLike{
    .name = "empty_like",
    .doc =
        "A tensor of unspecified values (zeros) of the shape of `x`, and of its dtype unless one "
        "is given.",
    .inputs = {"x: any"},
    .outputs = {"out: any"},
    .attrs = attrs_type<LikeAttrs>(),
    .compose = rule<compose_empty_like>(),
    .known_as = {Alias{"numpy", "empty_like"}, Alias{"torch", "empty_like"},
                 Alias{"jax", "numpy.empty_like"}},
};

Tensor empty_like(const Tensor& x, std::optional<DType> dtype, Where where) {
  return compose(kEmptyLike, inputs(x), LikeAttrs{dtype}, where);
}

}  // namespace weft
