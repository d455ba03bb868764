// random.glorot_normal: normal weights for layers, as Glorot and Bengio scale them.
#include "weft/op/apply.h"
#include "weft/ops/random/variance_scaling.h"

namespace weft {
namespace random {
namespace {

Tensors compose_glorot_normal(const WeightAttrs& at, TensorSpan in) {
  return {scaled_weights("glorot_normal", at, in[0], 1.0, "fan_avg", "truncated_normal")};
}

}  // namespace

Tensor glorot_normal(const Tensor& key, const Shape& shape, DType dtype, Where where) {
  return compose(kGlorotNormal, inputs(key), WeightAttrs{shape, dtype}, where);
}

}  // namespace random

constinit const CompositeDef kGlorotNormal{
    .name = "glorot_normal",
    .module = "random",
    .doc =
        "Normal draws, cut at two deviations, with mean 0 and variance `2 / (fan_in + fan_out)`, "
        "for the weights of a layer (Glorot and Bengio (2010)): "
        "`variance_scaling` with scale 1, `fan_avg`, `truncated_normal`.",
    .inputs = {"key: key"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<random::WeightAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"negative", "sizes are at least 0"},
             Law{"dtype", "the dtype is floating"}, Law{"rank", "weights have two axes or more"},
             Law{"axes", "the two axes differ"}},
    .compose = rule<random::compose_glorot_normal>(),
    .known_as = {Alias{"torch", "nn.init.xavier_normal_"},
                 Alias{"jax", "nn.initializers.glorot_normal"},
                 Alias{"tf", "keras.initializers.GlorotNormal"}},
};

}  // namespace weft
