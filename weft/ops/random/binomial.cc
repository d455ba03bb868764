// random.binomial: how many of n trials succeed.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/element_stream.h"
#include "weft/ops/random/gamma_family.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace random {
namespace {

constexpr double kMostTrials = 1e15;  // counts are then exact in f64

struct BinomialAttrs {
  std::optional<Ints> shape;
  DType dtype = DType::kI64;
  static constexpr auto fields =
      fields_of(field("shape", &BinomialAttrs::shape,
                      "the shape of the result; that of the parameters if left out"),
                field("dtype", &BinomialAttrs::dtype, "the dtype of the result"));
};

// Few successes: the failures before each of them, by inversion, until the trials are used up.
int64_t by_gaps(double n, double p, ElementStream& stream) {
  const double log_q = draw_log(1 - p);
  double used = 0;
  for (int64_t count = 0;; ++count) {
    used += std::ceil(draw_log(stream.uniform()) / log_q);
    if (used > n) return count;
  }
}

// Hoermann, "The generation of binomial random variates" (1993): BTRS, for p <= 1/2, n p >= 10.
int64_t by_rejection(double n, double p, ElementStream& stream) {
  const double deviation = std::sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p, c = n * p + 0.5, v_r = 0.92 - 4.2 / b;
  const double ratio = p / (1 - p), alpha = (2.83 + 5.1 / b) * deviation;
  const double mode = std::floor((n + 1) * p);
  const double at_mode = (mode + 0.5) * draw_log((mode + 1) / (ratio * (n - mode + 1))) +
                         stirling_rest(mode) + stirling_rest(n - mode);
  while (true) {
    const double u = stream.uniform() - 0.5, v = stream.uniform(), us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + c);
    if (us >= 0.07 && v <= v_r) return static_cast<int64_t>(k);
    if (k < 0 || k > n) continue;
    const double bound = at_mode + (n + 1) * draw_log((n - mode + 1) / (n - k + 1)) +
                         (k + 0.5) * draw_log(ratio * (n - k + 1) / (k + 1)) - stirling_rest(k) -
                         stirling_rest(n - k);
    if (draw_log(v * alpha / (a / (us * us) + b)) <= bound) return static_cast<int64_t>(k);
  }
}

int64_t successes(double n, double p, ElementStream& stream) {
  if (n == 0 || p == 0) return 0;
  if (p > 0.5) return static_cast<int64_t>(n) - successes(n, 1 - p, stream);
  return n * p < 10 ? by_gaps(n, p, stream) : by_rejection(n, p, stream);
}

Types draws_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  require_lead(cx, in[0].shape, in[1].shape);
  cx.require(same(in[1].shape, in[2].shape) != Tri::kNo, "shape", "n has shape ", in[1].shape,
             " but p has shape ", in[2].shape, "; they must be equal");
  return {{DType::kI64, in[1].shape}};
}

void run(const NoAttrs&, TensorSpan in, TensorSpan out) {
  const Tensor trials = packed(in[1]), chances = packed(in[2]);
  const Tensor& result = out[0];
  const auto* const n = static_cast<const double*>(trials.data());
  const auto* const p = static_cast<const double*>(chances.data());
  auto* const to = static_cast<int64_t*>(result.writable_data());
  for (int64_t i = 0; i < trials.numel(); ++i) {
    const bool counts = n[i] >= 0 && n[i] <= kMostTrials && n[i] == std::floor(n[i]);
    if (counts && p[i] >= 0 && p[i] <= 1) continue;
    fail(Code::kInvalid, "binomial_draws", "range", "there are ", n[i], " trials with probability ",
         p[i], "; trials are whole numbers from 0 to 1e15, probabilities go from 0 to 1");
  }
  for_each_draw(in[0], trials,
                [&](ElementStream& stream, int64_t i) { to[i] = successes(n[i], p[i], stream); });
}

Tensors batched(const NoAttrs& at, const BatchCtx& cx) {
  return lead_batched(kBinomialDraws, &at, cx);
}

Tensors compose_binomial(const BinomialAttrs& at, TensorSpan in) {
  const InferCtx cx{"binomial"};
  words_of_key(cx.op, in[0]);
  const auto parameter = [&](std::string_view name, const Tensor& x) {
    cx.require_type(!is_complex(x.dtype()), "dtype", name, " has dtype ", x.dtype(),
                    ", but must be real; cast it first");
    return cast(x, DType::kF64);
  };
  const Tensor n = parameter("n", in[1]), p = parameter("p", in[2]);
  cx.require_type(at.dtype != DType::kBool && !is_complex(at.dtype), "dtype", "dtype is ", at.dtype,
                  "; it must be integer or floating");
  const Shape shape = drawn_shape(cx, {at.shape}, cx.broadcast(n.shape(), p.shape()));
  const Tensor chances = broadcast_to(p, shape), trials = broadcast_to(n, shape);
  const Tensor draws =
      apply(kBinomialDraws, inputs(in[0], trials, chances), kNoAttrs, Where::here());
  return {cast(draws, at.dtype)};
}

}  // namespace

Tensor binomial(const Tensor& key, const Tensor& n, const Tensor& p, std::optional<Ints> shape,
                DType dtype, Where where) {
  return compose(kBinomial, inputs(key, n, p), BinomialAttrs{std::move(shape), dtype}, where);
}

}  // namespace random

constinit const OpDef kBinomialDraws{
    .name = "binomial_draws",
    .module = "random",
    .doc =
        "Draws from the binomial distribution as int64. Each element has a stream of numbers of "
        "its "
        "own, of its key and position. What `binomial` is made of.",
    .inputs = {"key: key", "n: float64", "p: float64"},
    .outputs = {"out: int64"},
    .laws = {Law{"key", "the last axis of a key has 2 words"},
             Law{"lead", "the parameters begin with the axes of the keys"},
             Law{"shape", "n and p have one shape"},
             Law{"range", "trials can be counted, probabilities are between 0 and 1"}},
    .infer = rule<random::draws_infer>(),
    .grad = derive::not_differentiable("counts are integers"),
    .batch = batch::rule<random::batched>(),
    .kernel = kernel::native<random::run>(),
};

constinit const CompositeDef kBinomial{
    .name = "binomial",
    .module = "random",
    .doc =
        "Draws from the binomial distribution: how many of `n` trials succeed, each with "
        "probability `p`. Trials are whole numbers from 0 to 1e15. Each element depends on the "
        "key, its position and its parameters only. There is no gradient: counts are integers.",
    .inputs = {"key: key", "n: real", "p: floating"},
    .outputs = {"out: numeric"},
    .attrs = attrs_type<random::BinomialAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"dtype", "parameters are real"},
             Law{"shape", "the parameters broadcast to the shape"},
             Law{"negative", "sizes are at least 0"}},
    .compose = rule<random::compose_binomial>(),
    .known_as = {Alias{"numpy", "random.binomial"}, Alias{"torch", "binomial"},
                 Alias{"jax", "random.binomial"}, Alias{"tf", "random.stateless_binomial"}},
};

}  // namespace weft
