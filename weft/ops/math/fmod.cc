// fmod: what division leaves, with the sign of the dividend.
#include "weft/op/apply.h"
#include "weft/ops/math/division_rest.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr float_rest(Expr x, Expr y) {
  const Expr a = cast(x, DType::kF64), b = cast(y, DType::kF64);
  const Expr nearest = nearest_rest(a, b, x.dtype());
  const Expr crossed = (nearest < 0) ^ (a < 0);
  const Expr back = where(a < 0, -abs(b), abs(b));
  const Expr rest = where((nearest != 0) & crossed, nearest + back, nearest);
  const Expr zero = a * 0.0;  // with the sign of a
  return cast(where(out_of_reach(a, b, rest) | (rest == 0), zero, rest), x.dtype());
}

Expr meaning(Expr a, Expr b) { return is_integer(a.dtype()) ? a % b : float_rest(a, b); }

}  // namespace

constinit const OpDef kFmod{
    .name = "fmod",
    .doc =
        "`a - b * trunc(a / b)`: the rest of a division, with the sign of `a`, as C's `fmod`. "
        "Integers: `fmod(x, 0)` is `x`. Floats: `fmod(x, 0)` and `fmod(inf, x)` are NaN, `fmod(x, "
        "inf)` is `x`, and a rest of zero has the sign of `a`. The rest is exact, or 0 where `a / "
        "b` is infinite in float64.",
    .inputs = {"a: real", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto a, auto, auto) { return decltype(a)(1.0); },
                             [](auto a, auto b, auto) { return -trunc(a / b); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "fmod"}, Alias{"torch", "fmod"}, Alias{"jax", "numpy.fmod"}},
};

Tensor fmod(const Tensor& a, const Tensor& b, Where where) {
  return apply(kFmod, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
