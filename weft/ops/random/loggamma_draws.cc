// random.loggamma_draws: logarithms of draws from the gamma distribution.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/element_stream.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace random {
namespace {

// Marsaglia and Tsang, "A simple method for generating gamma variables" (2000), for alpha >= 1.
double log_of_draw(double alpha, ElementStream& stream) {
  const double d = alpha - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double z = stream.normal(), root = 1 + c * z;
    if (root <= 0) continue;
    const double v = root * root * root, u = stream.uniform();
    if (u < 1 - 0.0331 * z * z * z * z || draw_log(u) < 0.5 * z * z + d * (1 - v + draw_log(v))) {
      return draw_log(d) + draw_log(v);
    }
  }
}

// Below 1, a draw for alpha + 1 times u^(1 / alpha), whose logarithm does not underflow.
double loggamma(double alpha, ElementStream& stream) {
  if (!(alpha > 0)) return std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(alpha)) return alpha;
  if (alpha >= 1) return log_of_draw(alpha, stream);
  const double log_u = draw_log(stream.uniform());
  return log_of_draw(alpha + 1, stream) + log_u / alpha;
}

Types draws_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  require_lead(cx, in[0].shape, in[1].shape);
  return {in[1]};
}

void run(const NoAttrs&, TensorSpan in, TensorSpan out) {
  const Tensor alpha = packed(in[1]);
  const auto* const from = static_cast<const double*>(alpha.data());
  auto* const to = static_cast<double*>(out[0].writable_data());
  for_each_draw(in[0], alpha,
                [&](ElementStream& stream, int64_t i) { to[i] = loggamma(from[i], stream); });
}

Tensors vjp(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  const Tensor slope =
      apply(kLoggammaSlope, inputs(cx.inputs[1], cx.outputs[0]), kNoAttrs, cx.where);
  return {Tensor(), multiply_no_nan(slope, g[0], cx.where)};
}

Tensors jvp(const NoAttrs&, const GradCtx& cx, TensorSpan t) {
  if (!t[1].defined()) return {Tensor()};
  const Tensor slope =
      apply(kLoggammaSlope, inputs(cx.inputs[1], cx.outputs[0]), kNoAttrs, cx.where);
  return {multiply_no_nan(slope, t[1], cx.where)};
}

Tensors batched(const NoAttrs& at, const BatchCtx& cx) {
  return lead_batched(kLoggammaDraws, &at, cx);
}

}  // namespace
}  // namespace random

constinit const OpDef kLoggammaDraws{
    .name = "loggamma_draws",
    .module = "random",
    .doc =
        "Logarithms of draws from the gamma distribution with shape `alpha`, in float64: they do "
        "not underflow where `alpha` is small. NaN where `alpha` is not positive. Each element "
        "has a stream of numbers of its own, of its key and position. What `gamma`, `beta` and "
        "`dirichlet` are made of. The gradient is that of the draw at which the distribution "
        "function keeps its value (implicit reparameterisation).",
    .inputs = {"key: key", "alpha: float64"},
    .outputs = {"out: float64"},
    .laws = {Law{"key", "the last axis of a key has 2 words"},
             Law{"lead", "alpha begins with the axes of the keys"}},
    .infer = rule<random::draws_infer>(),
    .grad =
        derive::rules<random::vjp, random::jvp>().reading(2, true).except(0, "keys are integers"),
    .batch = batch::rule<random::batched>(),
    .kernel = kernel::native<random::run>(),
};

}  // namespace weft
