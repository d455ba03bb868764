// swiglu: one half of `x`, gated by the silu of the other.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/halves.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

// 0 at -inf, where the product would be NaN.
template <class T>
T silu(T x) {
  const T product = x * sigmoid(x);
  return where(x == T(-__builtin_inf()), scalar_like(x, 0.0), product);
}

Expr meaning(Expr a, Expr b) { return silu(a) * b; }

Tensors composed(const AxisAttrs& at, TensorSpan in) {
  const Tensors parts = halves(InferCtx{"swiglu"}, in[0], at.axis);
  return {apply(kSwigluGate, parts, kNoAttrs, Where{})};
}

}  // namespace

constinit const CompositeDef kSwiglu{
    .name = "swiglu",
    .module = "nn",
    .doc =
        "`silu(a) * b`, where `a` and `b` are the first and second half of `x` along `axis`: the "
        "gate of today's feed-forward layers.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<AxisAttrs>(),
    .laws = {Law{"axis", "`axis` is an axis of `x`"}, Law{"even", "`axis` has an even size"}},
    .compose = rule<composed>(),
};

constinit const OpDef kSwigluGate{
    .name = "swiglu.gate",
    .module = "nn",
    .doc = "`silu(a) * b`.",
    .inputs = {"a: floating", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto a, auto b, auto) {
      const auto s = sigmoid(a), opposite = sigmoid(-a);
      return b * (s + a * s * opposite);
    },
                             [](auto a, auto, auto) { return silu(a); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
};

Tensor nn::swiglu(const Tensor& x, int64_t axis, Where where) {
  return compose(kSwiglu, inputs(x), AxisAttrs{axis}, where);
}

}  // namespace weft
