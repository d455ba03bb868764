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

// The rest of the nearest quotient. With fma it is exact, even where the quotient was rounded: then
// it is a multiple of b short of the rest, and 53 bits closer to it.
Expr reduce_once(Expr a, Expr b) {
  const Expr quotient = round(a / b);
  // A quotient of zero leaves all of a, also where b is infinite and 0 * b would be NaN.
  return where(quotient == 0, a, fma(-quotient, b, a));
}

// In float64: the quotient of two float32 numbers has at most 277 bits there, that of two float64
// numbers at most 1024 bits or it is infinite.
Expr float_rest(Expr x, Expr y) {
  const double inf = std::numeric_limits<double>::infinity();
  const Expr a = cast(x, DType::kF64), b = cast(y, DType::kF64);
  const int steps = x.dtype() == DType::kF64 ? 20 : 6;
  Expr rest = a;
  for (int i = 0; i < steps; ++i) rest = reduce_once(rest, b);
  rest = where(where(b > 0, rest < 0, rest > 0), rest + b, rest);
  const Expr out_of_reach = (abs(a) < inf) & (abs(b) > 0) & !(abs(rest) <= abs(b));
  const Expr zero = where(b < 0, Expr::constant(DType::kF64, -0.0), 0.0);
  return cast(where(out_of_reach | (rest == 0), zero, rest), x.dtype());
}

Expr meaning(Expr a, Expr b) {
  return is_integer(a.dtype()) ? integer_rest(a, b) : float_rest(a, b);
}

}  // namespace

constinit const OpDef kRemainder{
    .name = "remainder",
    .doc =
        "`a - b * floor_divide(a, b)`: the rest of a division, with the sign of `b`, as Python's "
        "`%`. Integers: `x % 0` is `x`. Floats: `x % 0` and `inf % x` are NaN, `x % inf` is `x` "
        "where the signs agree and `b` where they differ, and a rest of zero has the sign of `b`. "
        "The rest is exact, or 0 where `a / b` is infinite in float64.",
    .inputs = {"a: real", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto a, auto, auto) { return decltype(a)(1.0); },
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
