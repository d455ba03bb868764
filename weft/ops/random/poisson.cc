// random.poisson: how many events in an interval.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/element_stream.h"
#include "weft/ops/random/gamma_family.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace random {
namespace {

constexpr double kGreatest = 1e15;  // counts are then exact in f64

struct PoissonAttrs {
  std::optional<Ints> shape;
  DType dtype = DType::kI64;
  static constexpr auto fields = fields_of(
      field("shape", &PoissonAttrs::shape, "the shape of the result; that of the rate if left out"),
      field("dtype", &PoissonAttrs::dtype, "the dtype of the result"));
};

// Rates below 10: waiting times add up until they exceed 1, as a product.
int64_t by_products(double rate, ElementStream& stream) {
  const double limit = draw_exp(-rate);
  int64_t count = 0;
  for (double product = stream.uniform(); product > limit; product *= stream.uniform()) ++count;
  return count;
}

// Hoermann, "The transformed rejection method for generating Poisson random variables" (1993).
int64_t by_rejection(double rate, ElementStream& stream) {
  const double log_rate = draw_log(rate), b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b, inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double v_r = 0.9277 - 3.6224 / (b - 2);
  while (true) {
    const double u = stream.uniform() - 0.5, v = stream.uniform(), us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + rate + 0.43);
    if (us >= 0.07 && v <= v_r) return static_cast<int64_t>(k);
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (draw_log(v * inverse_alpha / (a / (us * us) + b)) <=
        k * log_rate - rate - log_factorial(k)) {
      return static_cast<int64_t>(k);
    }
  }
}

Types draws_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  require_lead(cx, in[0].shape, in[1].shape);
  return {{DType::kI64, in[1].shape}};
}

void run(const NoAttrs&, TensorSpan in, TensorSpan out) {
  const Tensor rate = packed(in[1]);
  const auto* const from = static_cast<const double*>(rate.data());
  auto* const to = static_cast<int64_t*>(out[0].writable_data());
  for (int64_t i = 0; i < rate.numel(); ++i) {
    if (from[i] >= 0 && from[i] <= kGreatest) continue;
    fail(Code::kInvalid, "poisson_draws", "rate", "a rate is ", from[i],
         "; rates go from 0 to 1e15");
  }
  for_each_draw(in[0], rate, [&](ElementStream& stream, int64_t i) {
    to[i] = from[i] < 10 ? by_products(from[i], stream) : by_rejection(from[i], stream);
  });
}

Tensors batched(const NoAttrs& at, const BatchCtx& cx) {
  return lead_batched(kPoissonDraws, &at, cx);
}

Tensors compose_poisson(const PoissonAttrs& at, TensorSpan in) {
  const InferCtx cx{"poisson"};
  words_of_key(cx.op, in[0]);
  const Tensor rate = cast(floating_parameter(cx, "rate", in[1]), DType::kF64);
  cx.require_type(at.dtype != DType::kBool && !is_complex(at.dtype), "dtype", "dtype is ", at.dtype,
                  "; it must be integer or floating");
  const Shape shape = drawn_shape(cx, {at.shape}, rate.shape());
  const Tensor draws =
      apply(kPoissonDraws, inputs(in[0], broadcast_to(rate, shape)), kNoAttrs, Where::here());
  return {cast(draws, at.dtype)};
}

}  // namespace

Tensor poisson(const Tensor& key, const Tensor& rate, std::optional<Ints> shape, DType dtype,
               Where where) {
  return compose(kPoisson, inputs(key, rate), PoissonAttrs{std::move(shape), dtype}, where);
}

}  // namespace random

constinit const OpDef kPoissonDraws{
    .name = "poisson_draws",
    .module = "random",
    .doc =
        "Draws from the Poisson distribution as int64. Each element has a stream of numbers of its "
        "own, of its key and position. What `poisson` is made of.",
    .inputs = {"key: key", "rate: float64"},
    .outputs = {"out: int64"},
    .laws = {Law{"key", "the last axis of a key has 2 words"},
             Law{"lead", "the rates begin with the axes of the keys"},
             Law{"rate", "rates are between 0 and 1e15"}},
    .infer = rule<random::draws_infer>(),
    .grad = derive::not_differentiable("counts are integers"),
    .batch = batch::rule<random::batched>(),
    .kernel = kernel::native<random::run>(),
};

constinit const CompositeDef kPoisson{
    .name = "poisson",
    .module = "random",
    .doc =
        "Draws from the Poisson distribution: `k` with probability `rate**k * exp(-rate) / k!`. "
        "Rates go from 0 to 1e15. Each element depends on the key, its position and its rate only. "
        "There is no gradient: counts are integers.",
    .inputs = {"key: key", "rate: floating"},
    .outputs = {"out: numeric"},
    .attrs = attrs_type<random::PoissonAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"dtype", "the rate is floating"},
             Law{"shape", "the parameters broadcast to the shape"},
             Law{"negative", "sizes are at least 0"}},
    .compose = rule<random::compose_poisson>(),
    .known_as = {Alias{"numpy", "random.poisson"}, Alias{"torch", "poisson"},
                 Alias{"jax", "random.poisson"}, Alias{"tf", "random.stateless_poisson"}},
};

}  // namespace weft
