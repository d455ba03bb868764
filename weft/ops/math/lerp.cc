// lerp: a point between two, as far along as a weight says.
#include "weft/ops/math/lerp.h"

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

// From the nearer end, so that both ends are met exactly and equal ends give themselves.
Expr meaning(Expr a, Expr b, Expr weight) {
  const Expr span = b - a;
  return where(weight < 0.5, a + weight * span, b - (1.0 - weight) * span);
}

}  // namespace

constinit const OpDef kLerp{
    .name = "lerp",
    .doc =
        "Elementwise `a + weight * (b - a)`, computed from the nearer end: weight 0 gives `a` and "
        "weight 1 gives `b` exactly. Weights outside of [0, 1] go on along the line.",
    .inputs = {"a: floating", "b: like a", "weight: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto, auto, auto weight, auto) {
      return decltype(weight)(1.0) - weight;
    },
                             [](auto, auto, auto weight, auto) { return weight; },
                             [](auto a, auto b, auto, auto) { return b - a; }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"torch", "lerp"}},
};

Tensor lerp(const Tensor& a, const Tensor& b, const Tensor& weight, Where where) {
  return apply(kLerp, inputs(a, b, weight), kNoAttrs, where);
}

}  // namespace weft
