// random.lecun_uniform: uniform weights for layers, as LeCun et al. scale them.
#include "weft/op/apply.h"
#include "weft/ops/random/variance_scaling.h"

namespace weft {
namespace random {
namespace {

Tensors compose_lecun_uniform(const WeightAttrs& at, TensorSpan in) {
  return {scaled_weights("lecun_uniform", at, in[0], 1.0, "fan_in", "uniform")};
}

}  // namespace

Tensor lecun_uniform(const Tensor& key, const Shape& shape, DType dtype, Where where) {
  return compose(kLecunUniform, inputs(key), WeightAttrs{shape, dtype}, where);
}

}  // namespace random

constinit const CompositeDef kLecunUniform{
    .name = "lecun_uniform",
    .module = "random",
    .doc =
        "Uniform draws with mean 0 and variance `1 / fan_in`, for the weights of a layer (LeCun et "
        "al. (1998)): "
        "`variance_scaling` with scale 1, `fan_in`, `uniform`.",
    .inputs = {"key: key"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<random::WeightAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"negative", "sizes are at least 0"},
             Law{"dtype", "the dtype is floating"}, Law{"rank", "weights have two axes or more"},
             Law{"axes", "the two axes differ"}},
    .compose = rule<random::compose_lecun_uniform>(),
    .known_as = {Alias{"jax", "nn.initializers.lecun_uniform"},
                 Alias{"tf", "keras.initializers.LecunUniform"}},
};

}  // namespace weft
