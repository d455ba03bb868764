// logical_and: whether both are non-zero.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Expr meaning(Expr a, Expr b) { return cast(a, DType::kBool) & cast(b, DType::kBool); }

}  // namespace

constinit const OpDef kLogicalAnd{
    .name = "logical_and",
    .doc = "Whether both are non-zero, elementwise, as bool. NaN is non-zero.",
    .inputs = {"a: any", "b: like a"},
    .outputs = {"out: boolean"},
    .infer = infer::broadcast_bool,
    .grad = derive::not_differentiable("its result is bool"),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "logical_and"}, Alias{"torch", "logical_and"},
                 Alias{"jax", "numpy.logical_and"}, Alias{"tf", "logical_and"}},
    .commutative = true,
};

Tensor logical_and(const Tensor& a, const Tensor& b, Where where) {
  return apply(kLogicalAnd, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
