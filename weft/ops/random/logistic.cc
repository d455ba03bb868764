// random.logistic: the logit of a uniform draw.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/tail.h"

namespace weft {
namespace random {
namespace {

Tensors compose_logistic(const FillAttrs& at, TensorSpan in) {
  const Tensor t = tails("logistic", at, in[0]);
  const Tensor odds = log(abs(t)), magnitude = log1p(-abs(t)) - odds, below = -magnitude;
  return {located("logistic", at, where(t < 0.0, below, magnitude), in, 1)};
}

}  // namespace

Tensor logistic(const Tensor& key, const Shape& shape, DType dtype, Where where) {
  return compose(kLogistic, inputs(key), FillAttrs{shape, dtype}, where);
}

}  // namespace random

constinit const CompositeDef kLogistic{
    .name = "logistic",
    .module = "random",
    .doc =
        "Draws from the logistic distribution, `loc + scale * log(u / (1 - u))` of a uniform draw "
        "`u` (`loc` is 0 and `scale` 1 if left out); differentiable in both.",
    .inputs = {"key: key", "loc?: floating", "scale?: floating"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<FillAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"negative", "sizes are at least 0"},
             Law{"dtype", "the dtype is floating"}, Law{"parameters", "parameters broadcast"}},
    .compose = rule<random::compose_logistic>(),
    .known_as = {Alias{"numpy", "random.logistic"}, Alias{"jax", "random.logistic"}},
};

}  // namespace weft
