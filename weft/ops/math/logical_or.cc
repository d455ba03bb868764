// logical_or: whether either is non-zero.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Expr meaning(Expr a, Expr b) { return cast(a, DType::kBool) | cast(b, DType::kBool); }

}  // namespace

constinit const OpDef kLogicalOr{
    .name = "logical_or",
    .doc = "Whether either is non-zero, elementwise, as bool. NaN is non-zero.",
    .inputs = {"a: any", "b: like a"},
    .outputs = {"out: boolean"},
    .infer = infer::broadcast_bool,
    .grad = derive::not_differentiable("its result is bool"),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "logical_or"}, Alias{"torch", "logical_or"},
                 Alias{"jax", "numpy.logical_or"}, Alias{"tf", "logical_or"}},
    .commutative = true,
};

Tensor logical_or(const Tensor& a, const Tensor& b, Where where) {
  return apply(kLogicalOr, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
