// pow: elementwise a to the power b.
#include "weft/op/apply.h"
#include "weft/op/staged_size.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

// By squaring, one step for every bit that an exponent can have.
Expr integer_power(Expr a, Expr b) {
  const bool is_signed = is_signed_integer(a.dtype());
  const int bits = static_cast<int>(8 * size_of(a.dtype())) - (is_signed ? 1 : 0);
  const Expr one = Expr::constant(a.dtype(), 1);
  Expr power = one, base = a;
  for (int i = 0; i < bits; ++i) {
    const Expr is_set = (shift_right(b, Expr::constant(b.dtype(), i)) & 1) != 0;
    power = where(is_set, power * base, power);
    base = base * base;
  }
  if (!is_signed) return power;
  const Expr odd = (b & 1) != 0;
  const Expr inverse = where(a == 1, one, where(a == -1, where(odd, -one, one), 0));
  return where(b < 0, inverse, power);
}

// b * a^(b - 1), and 0 at a = b = 0, for 0 * 0^-1 would be NaN.
template <class T>
T by_base(T a, T b) {
  const T out = b * pow(a, b - T(1.0)), is_zero = b == T(0.0);
  return where((a == T(0.0)) & is_zero, scalar_like(a, 0.0), out);
}

// out * log(a). At a = 0, b >= 0 the logarithm is replaced, for 0 * log(0) would be NaN.
template <class T>
T by_exponent(T a, T b, T out) {
  const T rises = real(b) >= T(0.0);
  return out * log(where((a == T(0.0)) & rises, scalar_like(a, 1.0), a));
}

// The number that a language scalar is, or would be in the call that is traced; 0 if there is none.
double power_in(const Tensor& exponent) {
  if (exponent.is_concrete()) return exponent.item();
  const std::optional<Dim> size = size_in(exponent);
  if (size && hinted_value(*size)) {  // which of the two, or neither, is all that matters
    for (const int64_t power : {2, 3}) {
      if (decide_same(*size, power) == Tri::kYes) return static_cast<double>(power);
    }
    return 0;
  }
  const std::optional<Tensor> number = number_of_call(exponent);
  return number ? number->item() : 0;
}

// `x ** 2` and `x ** 3` are products: at most as far from the true power as pow itself, and twenty
// times as fast. Undefined for other powers.
Tensor by_products(TensorSpan in, Where where) {
  if (in.size() != 2 || !in[0].defined() || !in[1].defined()) return {};
  const Tensor &x = in[0], &exponent = in[1];
  const bool keeps_dtype =
      x.dtype() != DType::kBool && !x.is_weak() && kind_of(exponent.dtype()) <= kind_of(x.dtype());
  if (!exponent.is_weak() || !keeps_dtype || is_complex(exponent.dtype())) return {};
  const double power = power_in(exponent);
  if (power != 2 && power != 3) return {};
  const Tensor squared = square(x, where);
  return power == 2 ? squared : multiply(squared, x, where);
}

Expr meaning(Expr a, Expr b) { return is_integer(a.dtype()) ? integer_power(a, b) : pow(a, b); }

}  // namespace

constinit const OpDef kPow{
    .name = "pow",
    .doc =
        "Elementwise `a` to the power `b`; the numbers 2 and 3 as powers are products. Floats "
        "follow IEEE 754: `x ** 0` and `1 ** x` are "
        "1 even for NaN, a negative number to a power that is no integer is NaN. Integers "
        "wrap around; to a negative power they give the exact value rounded towards zero, "
        "which is 0 but for 1 and -1, and `0 ** -n` is 0. The derivative with respect to `a` "
        "is 0 at `b = 0`, also at `a = 0`; with respect to `b` it is 0 at `a = 0`, `b >= 0`, and "
        "NaN for negative `a`.",
    .inputs = {"a: numeric", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto a, auto b, auto) { return by_base(a, b); },
                             [](auto a, auto b, auto out) { return by_exponent(a, b, out); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "power"}, Alias{"torch", "pow"}, Alias{"jax", "numpy.power"},
                 Alias{"tf", "pow"}, Alias{"numpy", "pow"}},
    .simpler = by_products,
};

Tensor pow(const Tensor& a, const Tensor& b, Where where) {
  return apply(kPow, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
