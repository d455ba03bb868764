// random.loggamma_draws.slope: how the logarithm of a gamma draw changes with alpha.
//
// With P the distribution function and f the density, P(x(alpha); alpha) is constant, so that
// dx / dalpha = -(dP / dalpha) / f (Figurnov, Mohamed, Mnih, "Implicit reparameterization
// gradients", 2018).
#include "weft/ops/random/loggamma_slope.h"
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/element_stream.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace random {
namespace {

// x below alpha + 1: P = x^a e^-x / Gamma(a + 1) * sum of c_n, with c_n = x^n / ((a+1) .. (a+n)).
double from_series(double a, double x, double log_x) {
  double term = 1, sum = 1, slope = 0, harmonic = 0;  // harmonic: 1 / (a+1) + .. + 1 / (a+n)
  for (int n = 1; n < kMostTerms; ++n) {
    term *= x / (a + n);
    harmonic += 1 / (a + n);
    sum += term;
    slope -= term * harmonic;
    if (term * (1 + harmonic) <= kPrecise * sum) break;
  }
  return -(sum * (log_x - draw_digamma(a + 1)) + slope) / a;
}

// Above: 1 - P = x^a e^-x / Gamma(a) * h, with Legendre's continued fraction h by Lentz's method,
// and the derivatives of its parts with respect to a.
double from_fraction(double a, double x, double log_x) {
  double b = x + 1 - a, d = 1 / b, dd = d * d, h = d, dh = dd;
  double c = std::numeric_limits<double>::infinity(), dc = 0;
  for (int i = 1; i < kMostTerms; ++i) {
    const double numerator = -i * (i - a);
    b += 2;
    const double d_inverse = numerator * d + b, d_inverse_slope = i * d + numerator * dd - 1;
    dc = -1 + i / c - numerator * dc / (c * c);
    c = b + numerator / c;
    d = 1 / d_inverse;
    dd = -d_inverse_slope * d * d;
    const double factor = c * d, factor_slope = dc * d + c * dd;
    dh = dh * factor + h * factor_slope;
    h *= factor;
    if (std::abs(factor - 1) + std::abs(factor_slope) <= 4 * kPrecise) break;
  }
  return h * (log_x - draw_digamma(a)) + dh;
}

// Large alpha: the cube root of x / alpha is nearly normal (Wilson and Hilferty).
double from_cube_root(double a, double log_x) {
  const double c = draw_exp((log_x - draw_log(a)) / 3), ninth = 1 / (9 * a);
  const double slope = ninth / a - (c - 1 + ninth) / (2 * a);
  return 1 / a + 3 * slope / c;
}

double loggamma_slope(double a, double log_x) {
  if (!(a > 0) || log_x != log_x) return std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(a)) return 0;
  if (a > kLargeAlpha) return from_cube_root(a, log_x);
  const double x = draw_exp(log_x);
  return x < a + 1 ? from_series(a, x, log_x) : from_fraction(a, x, log_x);
}

Types slope_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  cx.require(same(in[0].shape, in[1].shape) != Tri::kNo, "shape", "alpha has shape ", in[0].shape,
             " but log_x has shape ", in[1].shape, "; they must be equal");
  return {in[0]};
}

void run(const NoAttrs&, TensorSpan in, TensorSpan out) {
  const Tensor alpha = packed(in[0]), log_x = packed(in[1]);
  const Tensor& result = out[0];
  const auto* const a = static_cast<const double*>(alpha.data());
  const auto* const x = static_cast<const double*>(log_x.data());
  auto* const to = static_cast<double*>(result.writable_data());
  constexpr int64_t kTask = 128;
  const int64_t count = alpha.numel();
  parallel_for((count + kTask - 1) / kTask, [&](int64_t task) {
    const int64_t end = std::min(count, (task + 1) * kTask);
    for (int64_t i = task * kTask; i < end; ++i) to[i] = loggamma_slope(a[i], x[i]);
  });
}

Tensors vjp(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  const Tensors c = apply_all(kLoggammaCurvature, cx.inputs, kNoAttrs, cx.where);
  return {multiply_no_nan(c[0], g[0], cx.where), multiply_no_nan(c[1], g[0], cx.where)};
}

Tensors jvp(const NoAttrs&, const GradCtx& cx, TensorSpan t) {
  const Tensors c = apply_all(kLoggammaCurvature, cx.inputs, kNoAttrs, cx.where);
  Tensor sum;
  for (size_t i = 0; i < 2; ++i) {
    if (!t[i].defined()) continue;
    const Tensor term = multiply_no_nan(c[i], t[i], cx.where);
    sum = sum.defined() ? add(sum, term, cx.where) : term;
  }
  return {sum};
}

}  // namespace
}  // namespace random

constinit const OpDef kLoggammaSlope{
    .name = "loggamma_draws.slope",
    .module = "random",
    .doc =
        "How the logarithm `log_x` of a gamma draw changes with `alpha` where the value of the "
        "distribution function stays: `-(dP / dalpha) / (x * f)`. The gradient of "
        "`loggamma_draws`.",
    .inputs = {"alpha: float64", "log_x: float64"},
    .outputs = {"out: float64"},
    .laws = {Law{"shape", "both inputs have one shape"}},
    .infer = rule<random::slope_infer>(),
    .grad = derive::rules<random::vjp, random::jvp>().reading(3, false),
    .batch = batch::same_shape(),
    .kernel = kernel::native<random::run>(),
};

}  // namespace weft
