// logical_not: whether an element is zero.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return !cast(x, DType::kBool); }

}  // namespace

constinit const OpDef kLogicalNot{
    .name = "logical_not",
    .doc = "Whether an element is zero, as bool. NaN is not.",
    .inputs = {"x: any"},
    .outputs = {"out: boolean"},
    .infer = infer::same_shape_bool,
    .grad = derive::not_differentiable("its result is bool"),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "logical_not"}, Alias{"torch", "logical_not"},
                 Alias{"jax", "numpy.logical_not"}, Alias{"tf", "logical_not"}},
};

Tensor logical_not(const Tensor& x, Where where) {
  return apply(kLogicalNot, inputs(x), kNoAttrs, where);
}

}  // namespace weft
