// logical_xor: whether exactly one is non-zero.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Expr meaning(Expr a, Expr b) { return cast(a, DType::kBool) ^ cast(b, DType::kBool); }

}  // namespace

constinit const OpDef kLogicalXor{
    .name = "logical_xor",
    .doc = "Whether exactly one is non-zero, elementwise, as bool. NaN is non-zero.",
    .inputs = {"a: any", "b: like a"},
    .outputs = {"out: boolean"},
    .infer = infer::broadcast_bool,
    .grad = derive::not_differentiable("its result is bool"),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "logical_xor"}, Alias{"torch", "logical_xor"},
                 Alias{"jax", "numpy.logical_xor"}, Alias{"tf", "math.logical_xor"}},
    .commutative = true,
};

Tensor logical_xor(const Tensor& a, const Tensor& b, Where where) {
  return apply(kLogicalXor, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
