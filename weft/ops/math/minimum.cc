// minimum: the smaller of two elements.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

// What `a` gets of the gradient.
template <class T>
T share(T a, T b) {
  const T half = scalar_like(a, 0.5), all = scalar_like(a, 1.0), none = scalar_like(a, 0.0);
  const T unequal = where(a < b, all, none);
  return where(a == b, half, unequal);
}

Expr meaning(Expr a, Expr b) { return minimum(a, b); }

}  // namespace

constinit const OpDef kMinimum{
    .name = "minimum",
    .doc =
        "Elementwise the smaller of `a` and `b`; NaN if either is NaN, and -0 is below +0. "
        "Of bools it is the logical and. Where both are equal each gets half of the "
        "gradient.",
    .inputs = {"a: ordered", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto a, auto b, auto) { return share(a, b); },
                             [](auto a, auto b, auto) { return share(b, a); }>()
                .selecting(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "minimum"}, Alias{"torch", "minimum"},
                 Alias{"jax", "numpy.minimum"}, Alias{"tf", "minimum"}},
    .commutative = true,
    .associative = true,
};

Tensor minimum(const Tensor& a, const Tensor& b, Where where) {
  return apply(kMinimum, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
