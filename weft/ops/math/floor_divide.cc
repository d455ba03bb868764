// floor_divide: elementwise a / b, rounded down.
#include "weft/op/apply.h"
#include "weft/ops/math/zero_gradient.h"

namespace weft {
namespace {

// C++ division rounds towards zero: one less where the signs differ and something is left.
Expr integer_quotient(Expr a, Expr b) {
  const Expr quotient = a / b;
  if (is_unsigned_integer(a.dtype())) return quotient;
  const Expr rest = a % b;
  const Expr rounded_up = (rest != 0) & ((rest ^ b) < 0) & (b != 0);
  return where(rounded_up, quotient - 1, quotient);
}

// a / b may have been rounded up to an integer: what is left then has the sign opposite to b's.
Expr float_quotient(Expr a, Expr b) {
  const Expr floored = floor(a / b);
  // A quotient of zero leaves all of a, also where b is infinite and 0 * b would be NaN.
  const Expr rest = where(floored == 0, a, fma(-floored, b, a));
  const Expr rounded_up = where(b > 0, rest < 0, rest > 0);
  return where(rounded_up, floored - 1, floored);
}

Expr meaning(Expr a, Expr b) {
  return is_integer(a.dtype()) ? integer_quotient(a, b) : float_quotient(a, b);
}

}  // namespace

constinit const OpDef kFloorDivide{
    .name = "floor_divide",
    .doc =
        "The largest integer that is not above `a / b`, so that `a == b * floor_divide(a, b) "
        "+ remainder(a, b)`. Integers stay integers: `x / 0` is 0, and the smallest integer "
        "divided by -1 wraps around to itself. Of floats `x / 0` is an infinity and `0 / 0` "
        "is NaN; the quotient is not rounded before it is rounded down, as long as it is "
        "below 2^24 (2^53 in float64). The derivative is 0.",
    .inputs = {"a: real", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = zero_gradient(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "floor_divide"}, Alias{"torch", "floor_divide"},
                 Alias{"jax", "numpy.floor_divide"}, Alias{"tf", "math.floordiv"}},
};

Tensor floor_divide(const Tensor& a, const Tensor& b, Where where) {
  return apply(kFloorDivide, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
