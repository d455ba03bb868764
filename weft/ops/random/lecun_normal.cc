// random.lecun_normal: normal weights for layers, as LeCun et al. scale them.
#include "weft/op/apply.h"
#include "weft/ops/random/variance_scaling.h"

namespace weft {
namespace random {
namespace {

Tensors compose_lecun_normal(const WeightAttrs& at, TensorSpan in) {
  return {scaled_weights("lecun_normal", at, in[0], 1.0, "fan_in", "truncated_normal")};
}

}  // namespace

Tensor lecun_normal(const Tensor& key, const Shape& shape, DType dtype, Where where) {
  return compose(kLecunNormal, inputs(key), WeightAttrs{shape, dtype}, where);
}

}  // namespace random

constinit const CompositeDef kLecunNormal{
    .name = "lecun_normal",
    .module = "random",
    .doc =
        "Normal draws, cut at two deviations, with mean 0 and variance `1 / fan_in`, for the "
        "weights of a layer (LeCun et al. (1998)): "
        "`variance_scaling` with scale 1, `fan_in`, `truncated_normal`.",
    .inputs = {"key: key"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<random::WeightAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"negative", "sizes are at least 0"},
             Law{"dtype", "the dtype is floating"}, Law{"rank", "weights have two axes or more"},
             Law{"axes", "the two axes differ"}},
    .compose = rule<random::compose_lecun_normal>(),
    .known_as = {Alias{"jax", "nn.initializers.lecun_normal"},
                 Alias{"tf", "keras.initializers.LecunNormal"}},
};

}  // namespace weft
