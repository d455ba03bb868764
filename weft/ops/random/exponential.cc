// random.exponential: waiting times.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/tail.h"

namespace weft {
namespace random {
namespace {

Tensors compose_exponential(const FillAttrs& at, TensorSpan in) {
  const Tensor t = tails("exponential", at, in[0]);
  const Tensor scale = in.size() > 1 ? in[1] : Tensor();
  return {located("exponential", at, exponential_of(t), inputs(Tensor(), scale), 0)};
}

}  // namespace

Tensor exponential(const Tensor& key, const Shape& shape, DType dtype, Where where) {
  return compose(kExponential, inputs(key), FillAttrs{shape, dtype}, where);
}

}  // namespace random

constinit const CompositeDef kExponential{
    .name = "exponential",
    .module = "random",
    .doc =
        "Draws from the exponential distribution with mean `scale` (1), density `exp(-x / scale) / "
        "scale` for `x > 0`: `-log(u)` of a uniform draw `u`, with full precision at both ends. "
        "Differentiable in `scale`.",
    .inputs = {"key: key", "scale?: floating"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<FillAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"negative", "sizes are at least 0"},
             Law{"dtype", "the dtype is floating"}, Law{"parameters", "parameters broadcast"}},
    .compose = rule<random::compose_exponential>(),
    .known_as = {Alias{"numpy", "random.exponential"},
                 Alias{"torch",
                       "Tensor.exponential_: it takes the rate, ours the scale, which is 1 / rate"},
                 Alias{"jax", "random.exponential"}},
};

}  // namespace weft
