// random.cauchy: heavy tails.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/tail.h"

namespace weft {
namespace random {
namespace {

Tensors compose_cauchy(const FillAttrs& at, TensorSpan in) {
  const Tensor t = tails("cauchy", at, in[0]);
  return {located("cauchy", at, reciprocal(tan(t * 3.14159265358979324)), in, 1)};
}

}  // namespace

Tensor cauchy(const Tensor& key, const Shape& shape, DType dtype, Where where) {
  return compose(kCauchy, inputs(key), FillAttrs{shape, dtype}, where);
}

}  // namespace random

constinit const CompositeDef kCauchy{
    .name = "cauchy",
    .module = "random",
    .doc =
        "Draws from the Cauchy distribution with density `scale / (pi * (scale**2 + (x - "
        "loc)**2))` "
        "(`loc` is 0 and `scale` 1 if left out); differentiable in both.",
    .inputs = {"key: key", "loc?: floating", "scale?: floating"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<FillAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"negative", "sizes are at least 0"},
             Law{"dtype", "the dtype is floating"}, Law{"parameters", "parameters broadcast"}},
    .compose = rule<random::compose_cauchy>(),
    .known_as = {Alias{"numpy", "random.standard_cauchy"}, Alias{"torch", "Tensor.cauchy_"},
                 Alias{"jax", "random.cauchy"}},
};

}  // namespace weft
