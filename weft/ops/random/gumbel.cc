// random.gumbel: the greatest of many.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/tail.h"

namespace weft {
namespace random {
namespace {

Tensors compose_gumbel(const FillAttrs& at, TensorSpan in) {
  const Tensor t = tails("gumbel", at, in[0]);
  return {located("gumbel", at, -log(exponential_of(t)), in, 1)};
}

}  // namespace

Tensor gumbel(const Tensor& key, const Shape& shape, DType dtype, Where where) {
  return compose(kGumbel, inputs(key), FillAttrs{shape, dtype}, where);
}

}  // namespace random

constinit const CompositeDef kGumbel{
    .name = "gumbel",
    .module = "random",
    .doc =
        "Draws from the Gumbel distribution, `loc - scale * log(-log(u))` of a uniform draw `u` "
        "(`loc` is 0 and `scale` 1 if left out); differentiable in both. `argmax(logits + gumbel)` "
        "is a draw of `categorical`.",
    .inputs = {"key: key", "loc?: floating", "scale?: floating"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<FillAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"negative", "sizes are at least 0"},
             Law{"dtype", "the dtype is floating"}, Law{"parameters", "parameters broadcast"}},
    .compose = rule<random::compose_gumbel>(),
    .known_as = {Alias{"numpy", "random.gumbel"}, Alias{"torch", "distributions.Gumbel"},
                 Alias{"jax", "random.gumbel"}},
};

}  // namespace weft
