// random.dirichlet: random probabilities.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"
#include "weft/ops/random/gamma_family.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace random {
namespace {

struct DirichletAttrs {
  std::optional<Ints> shape;
  static constexpr auto fields =
      fields_of(field("shape", &DirichletAttrs::shape,
                      "how many draws, as a shape; the axes of alpha before the last if left out"));
};

// Softmax of the logarithms of gamma draws.
Tensors compose_dirichlet(const DirichletAttrs& at, TensorSpan in) {
  const InferCtx cx{"dirichlet"};
  words_of_key(cx.op, in[0]);
  const Tensor alpha = floating_parameter(cx, "alpha", in[1]);
  cx.require(alpha.rank() >= 1, "rank",
             "alpha has rank 0; its last axis has a number for each class");
  const size_t lead = static_cast<size_t>(alpha.rank()) - 1;
  Shape shape = drawn_shape(cx, {at.shape}, alpha.shape().first(lead));
  shape.push_back(alpha.dim(-1));
  return {cast(softmax(loggamma(in[0], alpha, shape), -1), alpha.dtype())};
}

}  // namespace

Tensor dirichlet(const Tensor& key, const Tensor& alpha, std::optional<Ints> shape, Where where) {
  return compose(kDirichlet, inputs(key, alpha), DirichletAttrs{std::move(shape)}, where);
}

}  // namespace random

constinit const CompositeDef kDirichlet{
    .name = "dirichlet",
    .module = "random",
    .doc =
        "Draws from the Dirichlet distribution: numbers along the last axis that are positive and "
        "sum to 1, gamma draws with shapes `alpha` divided by their sum. NaN where `alpha` is not "
        "positive; differentiable in it by implicit reparameterisation.",
    .inputs = {"key: key", "alpha: floating"},
    .outputs = {"out: like alpha"},
    .attrs = attrs_type<random::DirichletAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"dtype", "alpha is floating"},
             Law{"rank", "alpha has an axis of classes"},
             Law{"shape", "the parameters broadcast to the shape"},
             Law{"negative", "sizes are at least 0"}},
    .compose = rule<random::compose_dirichlet>(),
    .known_as = {Alias{"numpy", "random.dirichlet"}, Alias{"torch", "distributions.Dirichlet"},
                 Alias{"jax", "random.dirichlet"}},
};

}  // namespace weft
