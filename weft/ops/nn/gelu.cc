// gelu: x times the normal distribution function of x.
#include <limits>
#include <numbers>

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

constexpr double kInvSqrt2 = 1 / std::numbers::sqrt2;
constexpr double kInvSqrt2Pi = kInvSqrt2 * std::numbers::inv_sqrtpi;

// Normal distribution function plus x times its density.
template <class T>
T slope(T x) {
  return (erf(x * T(kInvSqrt2)) + T(1.0)) * T(0.5) + x * exp(x * x * T(-0.5)) * T(kInvSqrt2Pi);
}

Expr meaning(Expr x) {
  // 1 + erf cancels for very negative x: an absolute error of half an ulp of 1, where the result
  // vanishes anyway. The complement would not, at four times the price. At -inf the product would
  // be NaN.
  const Expr product = x * 0.5 * (erf(x * kInvSqrt2) + 1.0);
  return where(x == -std::numeric_limits<double>::infinity(), 0.0, product);
}

}  // namespace

constinit const OpDef kGelu{
    .name = "gelu",
    .doc =
        "`x * (1 + erf(x / sqrt(2))) / 2`: `x` times the probability that a standard normal "
        "number is below it. Exact to rounding of the factor, so `x` below about -5 gives 0 in "
        "float32, as elsewhere.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) { return slope(x); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"torch", "nn.functional.gelu"}, Alias{"jax", "nn.gelu"},
                 Alias{"tf", "nn.gelu"}},
};

Tensor gelu(const Tensor& x, Where where) { return apply(kGelu, inputs(x), kNoAttrs, where); }

}  // namespace weft
