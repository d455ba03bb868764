// random.truncated_normal: normal draws between two bounds.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/element_stream.h"
#include "weft/ops/random/gamma_family.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace random {
namespace {

struct TruncatedAttrs {
  std::optional<Ints> shape;
  std::optional<DType> dtype;
  static constexpr auto fields =
      fields_of(field("shape", &TruncatedAttrs::shape,
                      "the shape of the result; that of the bounds if left out"),
                field("dtype", &TruncatedAttrs::dtype,
                      "the dtype of the result; that of the bounds if left out"));
};

double between(double a, double b, ElementStream& stream) { return a + (b - a) * stream.uniform(); }

// Robert, "Simulation of truncated normal variables" (1995), for bounds with 0 between them.
double around_zero(double a, double b, ElementStream& stream) {
  const bool is_wide = b - a > 2.5066282746310005;  // sqrt(2 pi)
  while (true) {
    const double x = is_wide ? stream.normal() : between(a, b, stream);
    if (is_wide ? a <= x && x <= b : draw_log(stream.uniform()) <= -0.5 * x * x) return x;
  }
}

// The same for 0 < a < b: from an exponential distribution, or a uniform one if b is near.
double in_tail(double a, double b, ElementStream& stream) {
  const double root = std::sqrt(a * a + 4), rate = 0.5 * (a + root);
  const double far = a + 2 / (a + root) * draw_exp(0.5 + 0.25 * (a * a - a * root));
  const bool is_far = b > far;
  while (true) {
    const double x = is_far ? a - draw_log(stream.uniform()) / rate : between(a, b, stream);
    const double gap = x - rate;
    const double bound = is_far ? -0.5 * gap * gap : 0.5 * (a * a - x * x);
    if (x <= b && draw_log(stream.uniform()) <= bound) return x;
  }
}

double truncated(double a, double b, ElementStream& stream) {
  if (!(a <= b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return a;
  if (a > 0) return in_tail(a, b, stream);
  return b < 0 ? -in_tail(-b, -a, stream) : around_zero(a, b, stream);
}

Types draws_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  require_lead(cx, in[0].shape, in[1].shape);
  cx.require(same(in[1].shape, in[2].shape) != Tri::kNo, "shape", "lower has shape ", in[1].shape,
             " but upper has shape ", in[2].shape, "; they must be equal");
  return {in[1]};
}

void run(const NoAttrs&, TensorSpan in, TensorSpan out) {
  const Tensor lower = packed(in[1]), upper = packed(in[2]);
  const Tensor& result = out[0];
  const auto* const a = static_cast<const double*>(lower.data());
  const auto* const b = static_cast<const double*>(upper.data());
  auto* const to = static_cast<double*>(result.writable_data());
  for_each_draw(in[0], lower,
                [&](ElementStream& stream, int64_t i) { to[i] = truncated(a[i], b[i], stream); });
}

Tensors batched(const NoAttrs& at, const BatchCtx& cx) {
  return lead_batched(kTruncatedDraws, &at, cx);
}

Tensors compose_truncated_normal(const TruncatedAttrs& at, TensorSpan in) {
  const InferCtx cx{"truncated_normal"};
  words_of_key(cx.op, in[0]);
  const Tensor lower = floating_parameter(cx, "lower", in[1]);
  const Tensor upper = floating_parameter(cx, "upper", in[2]);
  const DType dtype = at.dtype.value_or(lower.dtype());
  cx.require_type(is_floating(dtype), "dtype", "dtype is ", dtype, "; it must be floating");
  const Shape shape = drawn_shape(cx, {at.shape}, cx.broadcast(lower.shape(), upper.shape()));
  const auto wide = [&](const Tensor& x) { return broadcast_to(cast(x, DType::kF64), shape); };
  const Tensor high = wide(upper), low = wide(lower);
  const Tensor draws = apply(kTruncatedDraws, inputs(in[0], low, high), kNoAttrs, Where::here());
  return {cast(draws, dtype)};
}

}  // namespace

Tensor truncated_normal(const Tensor& key, const Tensor& lower, const Tensor& upper,
                        std::optional<Ints> shape, std::optional<DType> dtype, Where where) {
  return compose(kTruncatedNormal, inputs(key, lower, upper),
                 TruncatedAttrs{std::move(shape), dtype}, where);
}

}  // namespace random

constinit const OpDef kTruncatedDraws{
    .name = "truncated_draws",
    .module = "random",
    .doc =
        "Standard normal draws between bounds, in float64. Each element has a stream of numbers of "
        "its own, of its key and position. What `truncated_normal` is made of.",
    .inputs = {"key: key", "lower: float64", "upper: float64"},
    .outputs = {"out: float64"},
    .laws = {Law{"key", "the last axis of a key has 2 words"},
             Law{"lead", "the bounds begin with the axes of the keys"},
             Law{"shape", "the bounds have one shape"}},
    .infer = rule<random::draws_infer>(),
    .grad = derive::missing("the derivative in the bounds is not implemented")
                .except(0, "keys are integers"),
    .batch = batch::rule<random::batched>(),
    .kernel = kernel::native<random::run>(),
};

constinit const CompositeDef kTruncatedNormal{
    .name = "truncated_normal",
    .module = "random",
    .doc =
        "Draws from the standard normal distribution between `lower` and `upper`, which may be "
        "infinite or far in a tail (Robert's rejection methods in float64); NaN where `lower` is "
        "above `upper`. Each element depends on the key, its position and its bounds only. A "
        "gradient in the bounds raises: it is not implemented; take `stop_gradient` of them.",
    .inputs = {"key: key", "lower: floating", "upper: floating"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<random::TruncatedAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"dtype", "the dtype is floating"},
             Law{"shape", "the bounds broadcast to the shape"},
             Law{"negative", "sizes are at least 0"}},
    .compose = rule<random::compose_truncated_normal>(),
    .known_as = {Alias{"jax", "random.truncated_normal"}, Alias{"torch", "nn.init.trunc_normal_"},
                 Alias{"tf", "random.stateless_truncated_normal"},
                 Alias{"scipy", "stats.truncnorm"}},
};

}  // namespace weft
