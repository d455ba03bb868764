// empty: a tensor whose values are unspecified: zeros, so that nothing depends on chance.
#include "weft/op/apply.h"
#include "weft/ops/creation/creation.h"

namespace weft {
namespace {

Tensors compose_empty(const FillAttrs& at, TensorSpan) {
  fill_infer(at, InferCtx{"empty"}, {});
  return {zeros(at.shape, at.dtype)};
}

}  // namespace

constinit const CompositeDef kEmpty{
    .name = "empty",
    .doc = "A tensor of unspecified values; they are zeros, so that no result depends on chance.",
    .inputs = {},
    .outputs = {"out: any"},
    .attrs = attrs_type<FillAttrs>(),
    .laws = {Law{"negative", "sizes are at least 0"}},
    .compose = rule<compose_empty>(),
    .known_as = {Alias{"numpy", "empty"}, Alias{"torch", "empty"}, Alias{"jax", "numpy.empty"}},
};

Tensor empty(const Shape& shape, DType dtype, Where where) {
  return compose(kEmpty, {}, FillAttrs{shape, dtype}, where);
}

}  // namespace weft
