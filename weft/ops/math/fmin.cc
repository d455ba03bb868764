// fmin: the smaller of two elements, NaN left aside.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

// What `a` gets of the gradient.
template <class T>
T share(T a, T b) {
  const T half = scalar_like(a, 0.5), all = scalar_like(a, 1.0), none = scalar_like(a, 0.0);
  const T alone = isnan(b), unequal = where((a < b) | alone, all, none);
  return where(a == b, half, unequal);
}

Expr meaning(Expr a, Expr b) { return where(isnan(a), b, where(isnan(b), a, minimum(a, b))); }

}  // namespace

constinit const OpDef kFmin{
    .name = "fmin",
    .doc =
        "Elementwise the smaller of `a` and `b`, where a NaN loses against any number; NaN if both "
        "are NaN. Where both are equal each gets half of the gradient.",
    .inputs = {"a: real", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto a, auto b, auto) { return share(a, b); },
                             [](auto a, auto b, auto) { return share(b, a); }>()
                .selecting(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "fmin"}, Alias{"torch", "fmin"}, Alias{"jax", "numpy.fmin"}},
    .commutative = true,
    .associative = true,
};

Tensor fmin(const Tensor& a, const Tensor& b, Where where) {
  return apply(kFmin, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
