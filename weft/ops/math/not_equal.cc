// not_equal: elementwise a != b.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Expr meaning(Expr a, Expr b) { return a != b; }

}  // namespace

constinit const OpDef kNotEqual{
    .name = "not_equal",
    .doc =
        "Elementwise `a != b`, as bool. NaN differs from everything, itself included; -0 "
        "equals +0.",
    .inputs = {"a: any", "b: like a"},
    .outputs = {"out: boolean"},
    .infer = infer::broadcast_bool,
    .grad = derive::not_differentiable("its result is bool"),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "not_equal"}, Alias{"torch", "not_equal"},
                 Alias{"jax", "numpy.not_equal"}, Alias{"tf", "not_equal"}, Alias{"torch", "ne"}},
    .commutative = true,
};

Tensor not_equal(const Tensor& a, const Tensor& b, Where where) {
  return apply(kNotEqual, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
