// equal: elementwise a == b.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Expr meaning(Expr a, Expr b) { return a == b; }

}  // namespace

constinit const OpDef kEqual{
    .name = "equal",
    .doc =
        "Elementwise `a == b`, as bool. NaN differs from everything, itself included; -0 "
        "equals +0.",
    .inputs = {"a: any", "b: like a"},
    .outputs = {"out: boolean"},
    .infer = infer::broadcast_bool,
    .grad = derive::not_differentiable("its result is bool"),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "equal"}, Alias{"jax", "numpy.equal"}, Alias{"tf", "equal"},
                 Alias{"torch", "eq"}},
    .commutative = true,
};

Tensor equal(const Tensor& a, const Tensor& b, Where where) {
  return apply(kEqual, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
