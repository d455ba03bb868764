// logaddexp: log(exp(a) + exp(b)) without overflow.
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

Expr meaning(Expr a, Expr b) { return maximum(a, b) + log1p(exp(-abs(gap(a, b)))); }

}  // namespace

constinit const OpDef kLogAddExp{
    .name = "logaddexp",
    .doc =
        "Elementwise log(exp(a) + exp(b)), computed without overflow. Equal infinities get half of "
        "the gradient each.",
    .inputs = {"a: floating", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto a, auto b, auto) { return sigmoid(gap(a, b)); },
                             [](auto a, auto b, auto) { return sigmoid(gap(b, a)); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "logaddexp"}, Alias{"torch", "logaddexp"},
                 Alias{"jax", "numpy.logaddexp"}},
    .commutative = true,
};

Tensor logaddexp(const Tensor& a, const Tensor& b, Where where) {
  return apply(kLogAddExp, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
