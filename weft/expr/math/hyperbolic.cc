// sinh, cosh, tanh and sigmoid: one reduction as in exp, arranged so that nothing cancels.
#include <vector>

#include "weft/expr/math/coefficients.h"
#include "weft/expr/math/expand.h"
#include "weft/expr/math/pieces.h"

namespace weft::expr_math {
namespace {

// cosh(r) - 1 and sinh(r) of the rest, and (2^n -+ 2^-n) / 4: a quarter keeps 2^n finite.
struct Halves {
  Expr cosh_minus_1, sinh, difference, sum;
};

Halves halves(Expr ax) {
  const Expr y = at_most(ax, is_f32(ax) ? 89.5 : 710.7);
  const Reduced r = reduce_exp(y, magic_of(ax, bias_of(ax) - 2));
  const Expr z = r.rest * r.rest;
  const Expr c = z * (is_f32(ax) ? polynomial(z, kCoshF32) : polynomial(z, kCoshF64));
  const Expr s = is_f32(ax) ? polynomial(z, kSinhF32) : polynomial(z, kSinhF64);
  const Expr up = power_of_two(r.shifted, ax);
  // 2^(-n-2) from the bits of 2^(n-2); for large n it is nothing beside it.
  const int m = mantissa_bits(ax);
  const Expr quarters = bits_of(ax, static_cast<uint64_t>(2 * bias_of(ax) - 4) << m);
  const Expr down = where(r.n < 64, from_bits(quarters - bits(up)), 0.0);
  return {c, fma(z * r.rest, s, r.rest), up - down, up + down};
}

// (e^2r - 1 - 2r) / (2 r^2) from the polynomial (e^r - 1 - r) / r^2: exact powers of two.
Expr doubled(Expr r, std::span<const double> c) {
  std::vector<double> scaled(c.begin(), c.end());
  double factor = 2;
  for (double& one : scaled) one *= factor, factor *= 2;
  return polynomial(r, scaled);
}

}  // namespace

// sinh(x) = (2^n - 2^-n)/2 cosh(r) + (2^n + 2^-n)/2 sinh(r): for n = 0 it is sinh(r) alone, so
// small arguments need no formula of their own. cosh has the two signs exchanged.
Expr expand_sinh(Expr x) {
  const Halves h = halves(abs(x));
  const Expr quarter = fma(h.difference, h.cosh_minus_1, h.sum * h.sinh) + h.difference;
  // A quarter of a denormal is not exact; so small a number is its own sinh.
  return with_sign_of(where(abs(x) < 0x1p-100, abs(x), quarter + quarter), x);
}

Expr expand_cosh(Expr x) {
  const Halves h = halves(abs(x));
  const Expr quarter = fma(h.sum, h.cosh_minus_1, h.difference * h.sinh) + h.sum;
  return quarter + quarter;
}

// u / (u + 1) with u = (e^2|x| - 1) / 2 = 2^n (e^2r - 1) / 2 + (2^n - 1) / 2. One part of ln 2 is
// enough for f32: its error grows with n, but faster does 1 - tanh vanish.
Expr expand_tanh(Expr x) {
  const Expr ax = at_most(abs(x), is_f32(x) ? 10.0 : 20.0);
  const double magic = magic_of(x, bias_of(x));
  const Rounded n = rounded(fma(ax, literal(x, 0x1.71547652b82fep+1), literal(x, magic)), magic);
  const Expr head = fma(n.value, literal(x, -0x1.62e42fefa39efp-2), ax);
  const Expr r = is_f32(x) ? head : fma(n.value, literal(x, -0x1.abc9e3b39803fp-57), head);
  const Expr q = is_f32(x) ? doubled(r, kExpm1F32) : doubled(r, kExpm1F64);
  const Expr e = fma(r * r, q, r);
  const Expr power = power_of_two(n.shifted, x);
  const Expr u = fma(power, e, fma(power, literal(x, 0.5), literal(x, -0.5)));
  const Expr below = u + 1.0;
  const Expr ratio = u / below;
  if (is_f32(x)) return with_sign_of(ratio, x);
  // In f64 the rounding of u + 1 alone would break the bound. What it lost is exact, and 1 / (u +
  // 1) is 1 - ratio.
  const Expr lost = at_most(u, 1.0) - (below - at_least(u, 1.0));
  return with_sign_of(fma(ratio * lost, ratio - 1.0, ratio), x);
}

// e^x / (1 + e^x) for negative x, 1 / (1 + e^-x) for the others: no overflow, and denormal tails.
Expr expand_sigmoid(Expr x) {
  const Expr negative = -abs(x);
  const Expr y = at_least(negative, is_f32(x) ? -110.0 : -760.0);
  const int half = is_f32(x) ? 64 : 512;
  const Reduced r = reduce_exp(y, magic_of(x, bias_of(x) + half));
  const Expr power = power_of_two(r.shifted, x);
  const Expr z = exp_polynomial(r.rest) * power * (is_f32(x) ? 0x1p-64 : 0x1p-512);
  const DType integer = is_f32(x) ? DType::kI32 : DType::kI64;
  const Expr one = literal(x, 1.0);
  return where(bitcast(x, integer) < 0, z, one) / (z + one);
}

}  // namespace weft::expr_math
