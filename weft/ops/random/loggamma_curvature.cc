// random.loggamma_draws.curvature: how the slope of the logarithm of a gamma draw changes.
//
// With P the distribution function, g the density of log x, and l = log x - digamma(alpha):
// P = g * h for a series h, 1 - P = g * q for a continued fraction q, and the slope is
// -(l h + h') = l q + q', primes being derivatives in alpha where x stays. Its derivative in alpha
// takes h'' or q''; that in log x is elementary, -l - slope * (alpha - x).
#include "weft/op/apply.h"
#include "weft/ops/random/element_stream.h"
#include "weft/ops/random/loggamma_slope.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace random {
namespace {

// A number with its first two derivatives in alpha.
struct Jet {
  double value, first, second;
};
Jet operator+(Jet a, Jet b) { return {a.value + b.value, a.first + b.first, a.second + b.second}; }
Jet operator*(Jet a, Jet b) {
  return {a.value * b.value, a.first * b.value + a.value * b.first,
          a.second * b.value + 2 * a.first * b.first + a.value * b.second};
}
Jet inverse(Jet a) {
  const double r = 1 / a.value;
  return {r, -a.first * r * r, (2 * a.first * a.first * r - a.second) * r * r};
}

// In alpha and in log x.
struct Curvature {
  double alpha, log_x;
};

Curvature finished(double slope, double slope_in_alpha, double a, double x, double l) {
  return {slope_in_alpha, -l - slope * (a - x)};
}

// x below alpha + 1: h = (sum of c_n) / a, with c_n = x^n / ((a+1) .. (a+n)).
Curvature from_series(double a, double x, double log_x) {
  Jet sum{1, 0, 0}, term{1, 0, 0};
  for (int n = 1; n < kMostTerms; ++n) {
    term = term * Jet{x, 0, 0} * inverse({a + n, 1, 0});
    sum = sum + term;
    const double rest = term.value + std::abs(term.first) + term.second;
    if (rest <= kPrecise * sum.value) break;
  }
  const double l = log_x - draw_digamma(a + 1);  // with alpha + 1: no 1 / alpha to cancel
  const double slope = -(sum.value * l + sum.first) / a;
  const double change = sum.first * l - sum.value * draw_trigamma(a + 1) + sum.second;
  return finished(slope, -(change + slope) / a, a, x, l + 1 / a);
}

// Above: q is Legendre's continued fraction, by Lentz's method.
Curvature from_fraction(double a, double x, double log_x) {
  Jet b{x + 1 - a, -1, 0}, d = inverse(b), q = d;
  Jet c{std::numeric_limits<double>::infinity(), 0, 0};
  for (int i = 1; i < kMostTerms; ++i) {
    const Jet numerator{-i * (i - a), static_cast<double>(i), 0};
    b = b + Jet{2, 0, 0};
    c = b + numerator * inverse(c);
    d = inverse(numerator * d + b);
    const Jet factor = c * d;
    q = q * factor;
    const double rest = std::abs(factor.first) + std::abs(factor.second);
    if (std::abs(factor.value - 1) + rest <= 4 * kPrecise) break;
  }
  const double l = log_x - draw_digamma(a);
  const double slope = q.value * l + q.first;
  return finished(slope, q.first * l - q.value * draw_trigamma(a) + q.second, a, x, l);
}

// Large alpha: of the slope (1/6a^2 + 3/2a) / c - 1/2a, with c the cube root of x / alpha.
Curvature from_cube_root(double a, double log_x) {
  const double r = draw_exp((draw_log(a) - log_x) / 3), t = 1 / a;
  return {t * t * (0.5 - r * (1 + t * (5.0 / 18))), -r * t * (0.5 + t / 18)};
}

Curvature loggamma_curvature(double a, double log_x) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!(a > 0) || log_x != log_x) return {kNone, kNone};
  if (std::isinf(a)) return {0, 0};
  if (a > kLargeAlpha) return from_cube_root(a, log_x);
  const double x = draw_exp(log_x);
  return x < a + 1 ? from_series(a, x, log_x) : from_fraction(a, x, log_x);
}

Types curvature_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  cx.require(same(in[0].shape, in[1].shape) != Tri::kNo, "shape", "alpha has shape ", in[0].shape,
             " but log_x has shape ", in[1].shape, "; they must be equal");
  return {in[0], in[0]};
}

void run(const NoAttrs&, TensorSpan in, TensorSpan out) {
  const Tensor alpha = packed(in[0]), log_x = packed(in[1]);
  const auto* const a = static_cast<const double*>(alpha.data());
  const auto* const x = static_cast<const double*>(log_x.data());
  auto* const to_alpha = static_cast<double*>(out[0].writable_data());
  auto* const to_log_x = static_cast<double*>(out[1].writable_data());
  constexpr int64_t kTask = 128;
  const int64_t count = alpha.numel();
  parallel_for((count + kTask - 1) / kTask, [&](int64_t task) {
    const int64_t end = std::min(count, (task + 1) * kTask);
    for (int64_t i = task * kTask; i < end; ++i) {
      const Curvature c = loggamma_curvature(a[i], x[i]);
      to_alpha[i] = c.alpha;
      to_log_x[i] = c.log_x;
    }
  });
}

}  // namespace
}  // namespace random

constinit const OpDef kLoggammaCurvature{
    .name = "loggamma_draws.curvature",
    .module = "random",
    .doc =
        "The derivatives of `loggamma_draws.slope` in `alpha` and in `log_x`: what second "
        "derivatives of gamma draws are made of. It has none of its own.",
    .inputs = {"alpha: float64", "log_x: float64"},
    .outputs = {"in_alpha: float64", "in_log_x: float64"},
    .laws = {Law{"shape", "both inputs have one shape"}},
    .infer = rule<random::curvature_infer>(),
    .grad =
        derive::missing("third derivatives of the gamma distribution function are not implemented"),
    .batch = batch::same_shape(),
    .kernel = kernel::native<random::run>(),
};

}  // namespace weft
