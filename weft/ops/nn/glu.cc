// glu: one half of `x`, gated by the sigmoid of the other.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/halves.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

Expr meaning(Expr a, Expr b) { return a * sigmoid(b); }

Tensors composed(const AxisAttrs& at, TensorSpan in) {
  const Tensors parts = halves(InferCtx{"glu"}, in[0], at.axis);
  return {apply(kGluGate, parts, kNoAttrs, Where{})};
}

}  // namespace

constinit const CompositeDef kGlu{
    .name = "glu",
    .module = "nn",
    .doc = "`a * sigmoid(b)`, where `a` and `b` are the first and second half of `x` along `axis`.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<AxisAttrs>(),
    .laws = {Law{"axis", "`axis` is an axis of `x`"}, Law{"even", "`axis` has an even size"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"torch", "nn.functional.glu"}, Alias{"jax", "nn.glu"}},
};

constinit const OpDef kGluGate{
    .name = "glu.gate",
    .module = "nn",
    .doc = "`a * sigmoid(b)`.",
    .inputs = {"a: floating", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto, auto b, auto) { return sigmoid(b); },
                             [](auto a, auto b, auto) {
                               const auto opposite = sigmoid(-b);
                               return a * (sigmoid(b) * opposite);
                             }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
};

Tensor nn::glu(const Tensor& x, int64_t axis, Where where) {
  return compose(kGlu, inputs(x), AxisAttrs{axis}, where);
}

}  // namespace weft
