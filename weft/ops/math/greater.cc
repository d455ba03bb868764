// greater: elementwise a > b.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Expr meaning(Expr a, Expr b) { return a > b; }

}  // namespace

constinit const OpDef kGreater{
    .name = "greater",
    .doc =
        "Elementwise `a > b`, as bool. False where either is NaN; -0 equals +0, and false is "
        "below true.",
    .inputs = {"a: ordered", "b: like a"},
    .outputs = {"out: boolean"},
    .infer = infer::broadcast_bool,
    .grad = derive::not_differentiable("its result is bool"),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "greater"}, Alias{"torch", "greater"},
                 Alias{"jax", "numpy.greater"}, Alias{"tf", "greater"}, Alias{"torch", "gt"}},
};

Tensor greater(const Tensor& a, const Tensor& b, Where where) {
  return apply(kGreater, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
