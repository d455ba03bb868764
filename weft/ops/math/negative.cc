// negative: elementwise -x.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Tensors transpose(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  return {negative(g[0], cx.where)};
}

Expr meaning(Expr x) { return -x; }

}  // namespace

constinit const OpDef kNegative{
    .name = "negative",
    .doc = "Elementwise `-x`. Integers wrap around; bools are negated as int64.",
    .inputs = {"x: numeric"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::linear<transpose>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "negative"}, Alias{"torch", "neg"}, Alias{"jax", "numpy.negative"},
                 Alias{"tf", "negative"}, Alias{"torch", "negative"}},
};

Tensor negative(const Tensor& x, Where where) {
  return apply(kNegative, inputs(x), kNoAttrs, where);
}

}  // namespace weft
