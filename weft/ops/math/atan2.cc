// atan2: the angle of a point.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

// x / (a^2 + b^2), and 0 at the origin.
template <class T>
T over_squared_distance(T x, T a, T b) {
  const T b_squared = b * b, square = a * a + b_squared, out = x / square;
  return where(square == T(0.0), scalar_like(square, 0.0), out);
}

Expr meaning(Expr a, Expr b) { return atan2(a, b); }

}  // namespace

constinit const OpDef kAtan2{
    .name = "atan2",
    .doc =
        "The angle of the point with ordinate `a` and abscissa `b`, between -pi and pi, in "
        "the quadrant that their signs tell (those of zeros too). The derivative is 0 at the "
        "origin, and so are all further ones.",
    .inputs = {"a: floating", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad =
        derive::partials<[](auto a, auto b, auto) { return over_squared_distance(b, a, b); },
                         [](auto a, auto b, auto) { return over_squared_distance(-a, a, b); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "arctan2"}, Alias{"numpy", "atan2"}, Alias{"torch", "atan2"},
                 Alias{"torch", "arctan2"}, Alias{"jax", "numpy.arctan2"}, Alias{"tf", "atan2"}},
};

Tensor atan2(const Tensor& a, const Tensor& b, Where where) {
  return apply(kAtan2, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
