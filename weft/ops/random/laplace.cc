// random.laplace: an exponential to either side.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/tail.h"

namespace weft {
namespace random {
namespace {

Tensors compose_laplace(const FillAttrs& at, TensorSpan in) {
  const Tensor t = tails("laplace", at, in[0]);
  const Tensor magnitude = -log(abs(t) * 2.0);
  const Tensor below = -magnitude;
  return {located("laplace", at, where(t < 0.0, below, magnitude), in, 1)};
}

}  // namespace

Tensor laplace(const Tensor& key, const Shape& shape, DType dtype, Where where) {
  return compose(kLaplace, inputs(key), FillAttrs{shape, dtype}, where);
}

}  // namespace random

constinit const CompositeDef kLaplace{
    .name = "laplace",
    .module = "random",
    .doc =
        "Draws from the Laplace distribution with density `exp(-abs(x - loc) / scale) / (2 * "
        "scale)` "
        "(`loc` is 0 and `scale` 1 if left out); differentiable in both.",
    .inputs = {"key: key", "loc?: floating", "scale?: floating"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<FillAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"negative", "sizes are at least 0"},
             Law{"dtype", "the dtype is floating"}, Law{"parameters", "parameters broadcast"}},
    .compose = rule<random::compose_laplace>(),
    .known_as = {Alias{"numpy", "random.laplace"}, Alias{"torch", "distributions.Laplace"},
                 Alias{"jax", "random.laplace"}},
};

}  // namespace weft
