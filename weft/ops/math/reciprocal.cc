// reciprocal: 1 / x.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return Expr(1.0) / x; }

}  // namespace

constinit const OpDef kReciprocal{
    .name = "reciprocal",
    .doc = "Elementwise `1 / x`; an infinity for 0.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto, auto out) { return -(out * out); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "reciprocal"}, Alias{"torch", "reciprocal"},
                 Alias{"jax", "numpy.reciprocal"}, Alias{"tf", "math.reciprocal"}},
};

Tensor reciprocal(const Tensor& x, Where where) {
  return apply(kReciprocal, inputs(x), kNoAttrs, where);
}

}  // namespace weft
