// random.glorot_uniform: uniform weights for layers, as Glorot and Bengio scale them.
#include "weft/op/apply.h"
#include "weft/ops/random/variance_scaling.h"

namespace weft {
namespace random {
namespace {

Tensors compose_glorot_uniform(const WeightAttrs& at, TensorSpan in) {
  return {scaled_weights("glorot_uniform", at, in[0], 1.0, "fan_avg", "uniform")};
}

}  // namespace

Tensor glorot_uniform(const Tensor& key, const Shape& shape, DType dtype, Where where) {
  return compose(kGlorotUniform, inputs(key), WeightAttrs{shape, dtype}, where);
}

}  // namespace random

constinit const CompositeDef kGlorotUniform{
    .name = "glorot_uniform",
    .module = "random",
    .doc =
        "Uniform draws with mean 0 and variance `2 / (fan_in + fan_out)`, for the weights of a "
        "layer (Glorot and Bengio (2010)): "
        "`variance_scaling` with scale 1, `fan_avg`, `uniform`.",
    .inputs = {"key: key"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<random::WeightAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"negative", "sizes are at least 0"},
             Law{"dtype", "the dtype is floating"}, Law{"rank", "weights have two axes or more"},
             Law{"axes", "the two axes differ"}},
    .compose = rule<random::compose_glorot_uniform>(),
    .known_as = {Alias{"torch", "nn.init.xavier_uniform_"},
                 Alias{"jax", "nn.initializers.glorot_uniform"},
                 Alias{"tf", "keras.initializers.GlorotUniform"}},
};

}  // namespace weft
