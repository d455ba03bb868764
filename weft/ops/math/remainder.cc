// remainder: what floor_divide leaves.
#include <limits>

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr integer_rest(Expr a, Expr b) {
  const Expr rest = a % b;  // has the sign of a
  if (is_unsigned_integer(a.dtype())) return rest;
  return where((rest != 0) & ((rest ^ b) < 0), rest + b, rest);
}

// The rest by the nearest quotient is exact with fma, and takes the bits of one quotient off `a`.
Expr reduce_once(Expr a, Expr b) {
  const Expr quotient = round(a / b);
  // A quotient of zero leaves all of a, also where b is infinite and 0 * b would be NaN.
  return where(quotient == 0, a, fma(-quotient, b, a));
}

Expr float_rest(Expr a, Expr b) {
  const double inf = std::numeric_limits<double>::infinity();
  Expr rest = reduce_once(reduce_once(reduce_once(a, b), b), b);
  rest = where(where(b > 0, rest < 0, rest > 0), rest + b, rest);
  const Expr out_of_reach = (abs(a) < inf) & (abs(b) > 0) & !(abs(rest) <= abs(b));
  const Expr zero = where(b < 0, Expr::constant(b.dtype(), -0.0), 0.0);
  return where(out_of_reach | (rest == 0), zero, rest);
}

Expr meaning(Expr a, Expr b) {
  return is_integer(a.dtype()) ? integer_rest(a, b) : float_rest(a, b);
}

}  // namespace

constinit const OpDef kRemainder{
    .name = "remainder",
    .doc =
        "`a - b * floor_divide(a, b)`: the rest of a division, with the sign of `b`, as "
        "Python's `%`. Integers: `x % 0` is `x`. Floats: `x % 0` and `inf % x` are NaN, `x % "
        "inf` is `x` where the signs agree and `b` where they differ, and a rest of zero has "
        "the sign of `b`. The rest is exact as long as `a / b` is below 2^72 (2^159 in "
        "float64); beyond that it is 0.",
    .inputs = {"a: real", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = grad::partials<[](auto a, auto, auto) { return decltype(a)(1.0); },
                           [](auto a, auto b, auto) { return -floor(a / b); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "remainder"}, Alias{"torch", "remainder"},
                 Alias{"jax", "numpy.remainder"}, Alias{"tf", "math.floormod"},
                 Alias{"numpy", "mod"}},
};

Tensor remainder(const Tensor& a, const Tensor& b, Where where) {
  return apply(kRemainder, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
