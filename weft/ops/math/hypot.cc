// hypot: the length of (a, b), without overflow.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

// a / length, and 0 at the origin.
template <class T>
T over_length(T a, T length) {
  const T out = a / length;
  return where(length == T(0.0), scalar_like(length, 0.0), out);
}

Expr meaning(Expr a, Expr b) { return abs(make_complex(a, b)); }

}  // namespace

constinit const OpDef kHypot{
    .name = "hypot",
    .doc =
        "`sqrt(a**2 + b**2)` without overflow or underflow on the way; infinite if either is, even "
        "beside NaN. The derivative is 0 at the origin.",
    .inputs = {"a: floating", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto a, auto, auto out) { return over_length(a, out); },
                             [](auto, auto b, auto out) { return over_length(b, out); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "hypot"}, Alias{"torch", "hypot"}, Alias{"jax", "numpy.hypot"}},
    .commutative = true,
};

Tensor hypot(const Tensor& a, const Tensor& b, Where where) {
  return apply(kHypot, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
