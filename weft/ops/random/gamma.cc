// random.gamma: sums of waiting times.
#include "weft/op/apply.h"
#include "weft/op/decide_shapes.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/gamma_family.h"

namespace weft {
namespace random {
namespace {

Tensors compose_gamma(const DrawAttrs& at, TensorSpan in) {
  const InferCtx cx{"gamma"};
  words_of_key(cx.op, in[0]);
  const Tensor alpha = floating_parameter(cx, "alpha", in[1]);
  Shape parameters(alpha.shape());
  if (in.size() > 2) parameters = cx.broadcast(parameters, in[2].shape());
  const Shape shape = drawn_shape(cx, at, parameters);
  Tensor out = exp(loggamma(in[0], alpha, shape));
  if (in.size() > 2) out = out * cast(floating_parameter(cx, "scale", in[2]), DType::kF64);
  return {cast(out, alpha.dtype())};
}

}  // namespace

Shape drawn_shape(const InferCtx& cx, const DrawAttrs& at, ShapeView parameters) {
  if (!at.shape) return Shape(parameters);
  const Shape shape(at.shape->begin(), at.shape->end());
  fill_infer({shape, DType::kF64}, cx, {});
  cx.require(decide_same(cx.broadcast(shape, parameters), shape) != Tri::kNo, "shape",
             "the parameters have shape ", parameters, ", which does not broadcast to ", shape);
  return shape;
}

Tensor loggamma(const Tensor& key, const Tensor& alpha, const Shape& shape) {
  const Tensor wide = broadcast_to(cast(alpha, DType::kF64), shape);
  return apply(kLoggammaDraws, inputs(key, wide), kNoAttrs, Where::here());
}

Tensor floating_parameter(const InferCtx& cx, std::string_view name, const Tensor& x) {
  cx.require_type(!is_complex(x.dtype()), "dtype", name, " has dtype ", x.dtype(),
                  ", but must be floating; cast it first");
  if (kind_of(x.dtype()) <= Kind::kInteger || x.is_weak()) return cast(x, DType::kF32);
  return x;
}

Tensor gamma(const Tensor& key, const Tensor& alpha, std::optional<Ints> shape, Where where) {
  return compose(kGamma, inputs(key, alpha), DrawAttrs{std::move(shape)}, where);
}

}  // namespace random

constinit const CompositeDef kGamma{
    .name = "gamma",
    .module = "random",
    .doc =
        "Draws from the gamma distribution with shape `alpha` and `scale` (1), density `x**(alpha "
        "- 1) * exp(-x / scale)` but for a factor; NaN where `alpha` is not positive. Each element "
        "depends on the key, its position and its parameters only (Marsaglia and Tsang's method in "
        "float64). Differentiable in `alpha`, by implicit reparameterisation, and in `scale`.",
    .inputs = {"key: key", "alpha: floating", "scale?: floating"},
    .outputs = {"out: like alpha"},
    .attrs = attrs_type<random::DrawAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"dtype", "parameters are floating"},
             Law{"shape", "the parameters broadcast to the shape"},
             Law{"negative", "sizes are at least 0"}},
    .compose = rule<random::compose_gamma>(),
    .known_as = {Alias{"numpy", "random.gamma"}, Alias{"torch", "distributions.Gamma"},
                 Alias{"jax", "random.gamma"}, Alias{"tf", "random.stateless_gamma"}},
};

}  // namespace weft
