// mish: `x` times tanh of its softplus.
#include <limits>

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

// tanh(log(1 + e)) = n / (n + 2) with n = e (e + 2), e = exp(x): nothing cancels. From 20 on it
// is 1.
template <class T>
struct Tail {
  explicit Tail(T x) : e(exp(minimum(x, T(20.0)))), n(e * (e + T(2.0))) {}
  T e, n;
};

template <class T>
T slope(T x) {
  const Tail<T> tail(x);
  const T below = T(1.0) / (tail.n + T(2.0));
  const T bend = x * (tail.e * (tail.e + T(1.0)) * T(4.0)) * below * below;
  return tail.n * below + bend;
}

Expr meaning(Expr x) {
  const Tail<Expr> tail(x);
  return where(x == -std::numeric_limits<double>::infinity(), 0.0, x * (tail.n / (tail.n + 2.0)));
}

}  // namespace

constinit const OpDef kMish{
    .name = "mish",
    .module = "nn",
    .doc = "`x * tanh(softplus(x))`; 0 at -inf.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) { return slope(x); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"torch", "nn.functional.mish"}, Alias{"jax", "nn.mish"}},
};

Tensor nn::mish(const Tensor& x, Where where) { return apply(kMish, inputs(x), kNoAttrs, where); }

}  // namespace weft
