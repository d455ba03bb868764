// random.he_uniform: uniform weights for layers, as He et al. scale them.
#include "weft/op/apply.h"
#include "weft/ops/random/variance_scaling.h"

namespace weft {
namespace random {
namespace {

Tensors compose_he_uniform(const WeightAttrs& at, TensorSpan in) {
  return {scaled_weights("he_uniform", at, in[0], 2.0, "fan_in", "uniform")};
}

}  // namespace

Tensor he_uniform(const Tensor& key, const Shape& shape, DType dtype, Where where) {
  return compose(kHeUniform, inputs(key), WeightAttrs{shape, dtype}, where);
}

}  // namespace random

constinit const CompositeDef kHeUniform{
    .name = "he_uniform",
    .module = "random",
    .doc =
        "Uniform draws with mean 0 and variance `2 / fan_in`, for the weights of a layer (He et "
        "al. (2015)): "
        "`variance_scaling` with scale 2, `fan_in`, `uniform`.",
    .inputs = {"key: key"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<random::WeightAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"negative", "sizes are at least 0"},
             Law{"dtype", "the dtype is floating"}, Law{"rank", "weights have two axes or more"},
             Law{"axes", "the two axes differ"}},
    .compose = rule<random::compose_he_uniform>(),
    .known_as = {Alias{"torch", "nn.init.kaiming_uniform_"},
                 Alias{"jax", "nn.initializers.he_uniform"},
                 Alias{"tf", "keras.initializers.HeUniform"}},
};

}  // namespace weft
