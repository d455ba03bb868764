// polygamma: the derivatives of digamma.
#include <cmath>
#include <limits>

#include "weft/op/apply.h"
#include "weft/op/native_outputs.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/shape/indexing.h"

namespace weft {
namespace {

constexpr int64_t kMaxOrder = 150;  // 171! is not a float64

struct PolygammaAttrs {
  int64_t n = 1;
  static constexpr auto fields =
      fields_of(field("n", &PolygammaAttrs::n, "which derivative of digamma", kRequired));
};

// zeta(s, q) = sum over k >= 0 of (q + k)^-s for q > 0, by Euler's and Maclaurin's formula.
long double hurwitz_zeta(int64_t s, long double q) {
  constexpr long double kBernoulli[] = {// B_2k
                                        1.0L / 6,       -1.0L / 30,      1.0L / 42, -1.0L / 30,
                                        5.0L / 66,      -691.0L / 2730,  7.0L / 6,  -3617.0L / 510,
                                        43867.0L / 798, -174611.0L / 330};
  const auto power = static_cast<long double>(s);
  long double sum = 0;
  for (const long double far = power + 15; q < far; q += 1) sum += std::pow(q, -power);
  const long double last = std::pow(q, -power);
  sum += q * last / (power - 1) + last / 2;
  long double factor = power * last / q / 2;  // s ... (s + 2k) q^(-s - 2k - 1) / (2k + 2)!
  for (int k = 0; k < 10; ++k) {
    const auto m = static_cast<long double>(2 * k);
    sum += kBernoulli[k] * factor;
    factor *= (power + m + 1) * (power + m + 2) / ((m + 3) * (m + 4)) / (q * q);
  }
  return sum;
}

// (-1)^(n + 1) n! times the sum of (x + k)^-(n + 1). Below 0 the terms before the pole at -m are
// those of zeta(s, d) - zeta(s, d + m + 1), d = -m - x, with the sign of a power.
double polygamma_of(int64_t n, double x) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const long double sign = n % 2 == 0 ? -1 : 1,
                    factorial = std::tgamma(static_cast<long double>(n) + 1);
  if (std::isnan(x) || x == -kInf) return std::numeric_limits<double>::quiet_NaN();
  if (x == kInf) return static_cast<double>(sign * 0);
  if (x == 0) return n % 2 == 0 ? std::copysign(kInf, -x) : kInf;
  if (x > 0) return static_cast<double>(sign * factorial * hurwitz_zeta(n + 1, x));
  const long double m = std::floor(-static_cast<long double>(x)),
                    d = -m - static_cast<long double>(x);
  if (d == 0) return n % 2 == 0 ? std::numeric_limits<double>::quiet_NaN() : kInf;
  const long double before = hurwitz_zeta(n + 1, d) - hurwitz_zeta(n + 1, d + m + 1);
  const long double sum = hurwitz_zeta(n + 1, 1 - d) + (n % 2 == 0 ? -before : before);
  return static_cast<double>(sign * factorial * sum);
}

Types polygamma_infer(const PolygammaAttrs& at, const InferCtx& cx, TypeSpan in) {
  cx.require(1 <= at.n && at.n <= kMaxOrder, "order", "n is ", at.n,
             "; it must be at least 1 (digamma itself is the other one) and at most ", kMaxOrder);
  return {in[0]};
}

void run(const PolygammaAttrs& at, TensorSpan in, TensorSpan out) {
  const Tensor x = packed(cast(in[0], DType::kF64));
  const Tensor result = output_in(DType::kF64, out[0]);
  const auto* from = static_cast<const double*>(x.data());
  auto* to = static_cast<double*>(result.writable_data());
  for (int64_t i = 0; i < x.numel(); ++i) to[i] = polygamma_of(at.n, from[i]);
  store(out[0], result);
}

// The same map in both directions.
Tensors derivative(const PolygammaAttrs& at, const GradCtx& cx, TensorSpan change) {
  const Tensor slope = polygamma(at.n + 1, cx.inputs[0], cx.where);
  return {multiply_no_nan(slope, change[0], cx.where)};
}

}  // namespace

constinit const OpDef kPolygamma{
    .name = "polygamma",
    .doc =
        "The `n`-th derivative of `digamma`, `n >= 1`: `(-1)**(n + 1) * n!` times the sum of `(x + "
        "k)**-(n + 1)` over `k >= 0`. At 0 and the negative integers it is inf for odd `n`; for "
        "even `n` it is NaN there, and -inf or inf at +0 or -0.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<PolygammaAttrs>(),
    .laws = {Law{"order", "`n` is between 1 and 150"}},
    .infer = rule<polygamma_infer>(),
    .grad = derive::rules<derivative, derivative>().reading(1, false),
    .batch = batch::broadcasting(),
    // Scalar code on one thread: a rare op, of which every order is another function.
    .kernel = kernel::native<run>(),
    .known_as = {Alias{"scipy", "special.polygamma"}, Alias{"torch", "polygamma"},
                 Alias{"torch", "special.polygamma"}, Alias{"jax", "scipy.special.polygamma"},
                 Alias{"tf", "math.polygamma"}},
};

Tensor polygamma(int64_t n, const Tensor& x, Where where) {
  return apply(kPolygamma, inputs(x), PolygammaAttrs{n}, where);
}

}  // namespace weft
