// random.beta: a share of the sum of two gamma draws.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/gamma_family.h"

namespace weft {
namespace random {
namespace {

// x / (x + y) of their logarithms, which small parameters do not make 0 / 0.
Tensors compose_beta(const DrawAttrs& at, TensorSpan in) {
  const InferCtx cx{"beta"};
  words_of_key(cx.op, in[0]);
  const Tensor a = floating_parameter(cx, "a", in[1]), b = floating_parameter(cx, "b", in[2]);
  const Shape shape = drawn_shape(cx, at, cx.broadcast(a.shape(), b.shape()));
  const Tensor keys = split(in[0], 2);
  const Tensor log_x = loggamma(select_row(keys, 0), a, shape);
  const Tensor log_y = loggamma(select_row(keys, 1), b, shape);
  return {cast(sigmoid(log_x - log_y), a.dtype())};
}

}  // namespace

Tensor beta(const Tensor& key, const Tensor& a, const Tensor& b, std::optional<Ints> shape,
            Where where) {
  return compose(kBeta, inputs(key, a, b), DrawAttrs{std::move(shape)}, where);
}

}  // namespace random

constinit const CompositeDef kBeta{
    .name = "beta",
    .module = "random",
    .doc =
        "Draws from the beta distribution, density `x**(a - 1) * (1 - x)**(b - 1)` on (0, 1) but "
        "for a factor: `x / (x + y)` of two gamma draws. NaN where a parameter is not positive; "
        "differentiable in both by implicit reparameterisation.",
    .inputs = {"key: key", "a: floating", "b: floating"},
    .outputs = {"out: like a"},
    .attrs = attrs_type<random::DrawAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"dtype", "parameters are floating"},
             Law{"shape", "the parameters broadcast to the shape"},
             Law{"negative", "sizes are at least 0"}},
    .compose = rule<random::compose_beta>(),
    .known_as = {Alias{"numpy", "random.beta"}, Alias{"torch", "distributions.Beta"},
                 Alias{"jax", "random.beta"}},
};

}  // namespace weft
