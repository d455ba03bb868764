// gelu: x times the normal distribution function of x, exactly or by a tanh.
#include <limits>
#include <numbers>
#include <string>

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
  const T by_density = x * exp(x * x * T(-0.5)) * T(kInvSqrt2Pi);
  return (erf(x * T(kInvSqrt2)) + T(1.0)) * T(0.5) + by_density;
}

Expr meaning(Expr x) {
  // 1 + erf cancels for very negative x: an absolute error of half an ulp of 1, where the result
  // vanishes anyway. The complement would not, at four times the price. At -inf the product would
  // be NaN.
  const Expr product = x * 0.5 * (erf(x * kInvSqrt2) + 1.0);
  return where(x == -std::numeric_limits<double>::infinity(), 0.0, product);
}

// The approximation of the factor, (1 + tanh(u)) / 2, is sigmoid(2 u).
constexpr double kCubic = 0.044715;
constexpr double kTwiceRoot = 2 * 2 * kInvSqrt2Pi;  // 2 sqrt(2 / pi)

template <class T>
T tanh_factor(T x) {
  return sigmoid((x * x * T(kCubic) + T(1.0)) * x * T(kTwiceRoot));
}

Expr tanh_meaning(Expr x) {
  return where(x == -std::numeric_limits<double>::infinity(), 0.0, x * tanh_factor(x));
}

template <class T>
T tanh_slope(T x) {
  // Beyond 20 the factor is 0 or 1; so no square overflows.
  const T y = minimum(maximum(x, T(-20.0)), T(20.0));
  const T factor = tanh_factor(y), inner = (y * y * T(3 * kCubic) + T(1.0)) * T(kTwiceRoot);
  const T opposite = tanh_factor(-y);
  return factor + y * inner * factor * opposite;
}

struct GeluAttrs {
  std::string approximate = "none";
  static constexpr auto fields = fields_of(
      field("approximate", &GeluAttrs::approximate, "`none`, or `tanh` for the approximation"));
};

Tensors composed(const GeluAttrs& at, TensorSpan in) {
  const InferCtx cx{"gelu"};
  const bool by_tanh = at.approximate == "tanh", exact = at.approximate == "none";
  cx.require(by_tanh || exact, "approximate", "approximate is '", at.approximate,
             "'; it must be 'none' or 'tanh'");
  return {apply(by_tanh ? kGeluTanh : kGeluErf, in, kNoAttrs, Where{})};
}

}  // namespace

constinit const CompositeDef kGelu{
    .name = "gelu",
    .doc =
        "`x * (1 + erf(x / sqrt(2))) / 2`: `x` times the probability that a standard normal "
        "number is below it. Exact to rounding of the factor, so `x` below about -5 gives 0 in "
        "float32, as elsewhere. With `approximate='tanh'` it is `x * (1 + tanh(sqrt(2 / pi) * (x + "
        "0.044715 * x**3))) / 2`.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<GeluAttrs>(),
    .laws = {Law{"approximate", "`approximate` is `none` or `tanh`"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"torch", "nn.functional.gelu"},
                 Alias{"jax", "nn.gelu: it is approximated by tanh unless told, ours is not"},
                 Alias{"tf", "nn.gelu"}},
};

constinit const OpDef kGeluErf{
    .name = "gelu.erf",
    .doc = "`x * (1 + erf(x / sqrt(2))) / 2`.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) { return slope(x); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
};

constinit const OpDef kGeluTanh{
    .name = "gelu.tanh",
    .doc = "`x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2`.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) { return tanh_slope(x); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(tanh_meaning),
};

Tensor gelu(const Tensor& x, std::string_view approximate, Where where) {
  return compose(kGelu, inputs(x), GeluAttrs{std::string(approximate)}, where);
}

}  // namespace weft
