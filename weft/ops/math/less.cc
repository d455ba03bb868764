// less: elementwise a < b.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Expr meaning(Expr a, Expr b) { return a < b; }

}  // namespace

constinit const OpDef kLess{
    .name = "less",
    .doc =
        "Elementwise `a < b`, as bool. False where either is NaN; -0 equals +0, and false is "
        "below true.",
    .inputs = {"a: ordered", "b: like a"},
    .outputs = {"out: boolean"},
    .infer = infer::broadcast_bool,
    .grad = derive::not_differentiable("its result is bool"),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "less"}, Alias{"torch", "less"}, Alias{"jax", "numpy.less"},
                 Alias{"tf", "less"}, Alias{"torch", "lt"}},
};

Tensor less(const Tensor& a, const Tensor& b, Where where) {
  return apply(kLess, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
