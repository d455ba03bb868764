// sinc: sin(pi x) / (pi x).
#include <numbers>

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

// x without whole turns of 2 pi, in units of pi: exact, between -1 and 1.
template <class T>
T without_turns(T x) {
  return x - round(x * T(0.5)) * T(2.0);
}

// sin(pi x), by symmetry from an angle that is 0 where the sine is.
template <class T>
T sin_pi(T x) {
  const T r = without_turns(x), size = abs(r);
  const T rest = T(1.0) - size, folded = where(r < T(0.0), -rest, rest);
  return sin(where(size > T(0.5), folded, r) * T(std::numbers::pi));
}

template <class T>
T cos_pi(T x) {
  return sin((T(0.5) - abs(without_turns(x))) * T(std::numbers::pi));
}

// (cos(pi x) - sinc(x)) / x; near 0, where that cancels, the sum of -2k (-1)^k pi^2k x^(2k-1) /
// (2k+1)! over k >= 1.
template <class T>
T slope(T x, T out) {
  constexpr double kSquare = std::numbers::pi * std::numbers::pi;
  constexpr int kTerms = 9;
  double factors[kTerms + 1] = {1};  // (-1)^k pi^2k / (2k+1)!
  for (int k = 1; k <= kTerms; ++k) factors[k] = -factors[k - 1] * kSquare / (2 * k * (2 * k + 1));
  const T z = x * x;
  T series = scalar_like(x, 2 * kTerms * factors[kTerms]);
  for (int k = kTerms - 1; k > 0; --k) series = series * z + T(2 * k * factors[k]);
  const T far = (cos_pi(x) - out) / x, near = series * x;
  return where(abs(x) < T(0.25), near, far);
}

Expr meaning(Expr x) {
  const Expr ax = abs(x);
  return where(x == 0, 1.0, sin_pi(ax) / (ax * std::numbers::pi));
}

}  // namespace

constinit const OpDef kSinc{
    .name = "sinc",
    .doc =
        "`sin(pi * x) / (pi * x)`, and 1 at 0. Exactly 0 at every other "
        "integer. NaN for infinities.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto out) { return slope(x, out); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "sinc"}, Alias{"torch", "sinc"}, Alias{"jax", "numpy.sinc"}},
};

Tensor sinc(const Tensor& x, Where where) { return apply(kSinc, inputs(x), kNoAttrs, where); }

}  // namespace weft
