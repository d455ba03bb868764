// softsign: x / (1 + |x|), an op outside Weft's tree, defined like the ones inside.
#include "softsign.h"

#include <weft/op/apply.h>
#include <weft/op/registry.h>

namespace user_ops {

using namespace weft;

namespace {

// The meaning; kernels for every CPU and floating dtype are generated from it.
Expr meaning(Expr x) { return x / (Expr(1.0) + abs(x)); }

// The derivative, on Expr for the fused backward kernel and on Tensor for higher orders.
template <class T>
T slope(T x) {
  const T d = T(1.0) + abs(x);
  return T(1.0) / (d * d);
}

}  // namespace

constinit const OpDef kSoftsign{
    .name = "softsign",
    .module = "user_ops",
    .doc = "Elementwise x / (1 + |x|).",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto x, auto) { return slope(x); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"torch", "nn.functional.softsign"}, Alias{"jax", "nn.soft_sign"}},
};

Tensor softsign(const Tensor& x, Where where) {
  return apply(kSoftsign, inputs(x), kNoAttrs, where);
}

static constexpr const OpDef* kOps[] = {&kSoftsign};
extern const Family kFamily;
constinit const Family kFamily{"user_ops", kOps, {}};

}  // namespace user_ops
