// remainder: what floor_divide leaves.
#include "weft/op/apply.h"
#include "weft/ops/math/division_rest.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr integer_rest(Expr a, Expr b) {
  const Expr rest = a % b;  // has the sign of a
  if (is_unsigned_integer(a.dtype())) return rest;
  return where((rest != 0) & ((rest ^ b) < 0), rest + b, rest);
}

Expr float_rest(Expr x, Expr y) {
  const Expr a = cast(x, DType::kF64), b = cast(y, DType::kF64);
  const Expr nearest = nearest_rest(a, b, x.dtype());
  const Expr rest = where(where(b > 0, nearest < 0, nearest > 0), nearest + b, nearest);
  const Expr zero = where(b < 0, Expr::constant(DType::kF64, -0.0), 0.0);
  return cast(where(out_of_reach(a, b, rest) | (rest == 0), zero, rest), x.dtype());
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
