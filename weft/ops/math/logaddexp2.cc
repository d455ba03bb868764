// logaddexp2: log2(2^a + 2^b) without overflow.
#include <numbers>

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

// a - b, but 0 for equal infinities, where inf - inf would be NaN.
template <class T>
T gap(T a, T b) {
  const T difference = a - b;
  return where(a == b, T(0.0), difference);
}

Expr meaning(Expr a, Expr b) {
  return maximum(a, b) + log1p(exp2(-abs(gap(a, b)))) * std::numbers::log2e;
}

}  // namespace

constinit const OpDef kLogAddExp2{
    .name = "logaddexp2",
    .doc =
        "Elementwise `log2(2**a + 2**b)`, computed without overflow. Equal infinities get half of "
        "the gradient each.",
    .inputs = {"a: floating", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::partials<
        [](auto a, auto b, auto) { return sigmoid(gap(a, b) * decltype(a)(std::numbers::ln2)); },
        [](auto a, auto b, auto) { return sigmoid(gap(b, a) * decltype(a)(std::numbers::ln2)); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "logaddexp2"}, Alias{"torch", "logaddexp2"},
                 Alias{"jax", "numpy.logaddexp2"}},
    .commutative = true,
};

Tensor logaddexp2(const Tensor& a, const Tensor& b, Where where) {
  return apply(kLogAddExp2, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
