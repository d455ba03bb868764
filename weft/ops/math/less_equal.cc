// less_equal: elementwise a <= b.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Expr meaning(Expr a, Expr b) { return a <= b; }

}  // namespace

constinit const OpDef kLessEqual{
    .name = "less_equal",
    .doc =
        "Elementwise `a <= b`, as bool. False where either is NaN; -0 equals +0, and false "
        "is below true.",
    .inputs = {"a: ordered", "b: like a"},
    .outputs = {"out: boolean"},
    .infer = infer::broadcast_bool,
    .grad = derive::not_differentiable("its result is bool"),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "less_equal"}, Alias{"torch", "less_equal"},
                 Alias{"jax", "numpy.less_equal"}, Alias{"tf", "less_equal"}, Alias{"torch", "le"}},
};

Tensor less_equal(const Tensor& a, const Tensor& b, Where where) {
  return apply(kLessEqual, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
