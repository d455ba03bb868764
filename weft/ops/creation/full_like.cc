// full_like: one value in the shape and dtype of another tensor.
#include "weft/op/apply.h"
#include "weft/ops/creation/creation.h"

namespace weft {
namespace {

Tensors compose_full_like(const LikeAttrs& at, TensorSpan in) {
  const Tensor &x = in[0], &value = in[1];
  InferCtx{"full_like"}.require(value.rank() == 0, "value", "value has shape ", value.shape(),
                                "; it must have rank 0");
  return {full(Shape(x.shape()), value, at.dtype.value_or(x.dtype()))};
}

}  // namespace

constinit const CompositeDef kFullLike{
    .name = "full_like",
    .doc = "A tensor of the shape of `x`, and of its dtype unless one is given, full of `value`.",
    .inputs = {"x: any", "fill_value: any"},
    .outputs = {"out: any"},
    .attrs = attrs_type<LikeAttrs>(),
    .laws = {Law{"value", "the value has rank 0"}},
    .compose = rule<compose_full_like>(),
    .known_as = {Alias{"numpy", "full_like"}, Alias{"torch", "full_like"},
                 Alias{"jax", "numpy.full_like"}},
};

Tensor full_like(const Tensor& x, const Tensor& value, std::optional<DType> dtype, Where where) {
  return compose(kFullLike, inputs(x, value), LikeAttrs{dtype}, where);
}

}  // namespace weft
