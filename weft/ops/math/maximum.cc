// maximum: the larger of two elements.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

// What `a` gets of the gradient.
template <class T>
T share(T a, T b) {
  const T half = scalar_like(a, 0.5), all = scalar_like(a, 1.0), none = scalar_like(a, 0.0);
  const T unequal = where(a > b, all, none);
  return where(a == b, half, unequal);
}

Expr meaning(Expr a, Expr b) { return maximum(a, b); }

}  // namespace

constinit const OpDef kMaximum{
    .name = "maximum",
    .doc =
        "Elementwise the larger of `a` and `b`; NaN if either is NaN, and -0 is below +0. Of "
        "bools it is the logical or. Where both are equal each gets half of the gradient.",
    .inputs = {"a: ordered", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto a, auto b, auto) { return share(a, b); },
                             [](auto a, auto b, auto) { return share(b, a); }>()
                .selecting(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "maximum"}, Alias{"torch", "maximum"},
                 Alias{"jax", "numpy.maximum"}, Alias{"tf", "maximum"}},
    .commutative = true,
    .associative = true,
};

Tensor maximum(const Tensor& a, const Tensor& b, Where where) {
  return apply(kMaximum, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
