// signbit: whether the sign is minus.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) {
  return bitcast(x, x.dtype() == DType::kF32 ? DType::kI32 : DType::kI64) < 0;
}

}  // namespace

constinit const OpDef kSignbit{
    .name = "signbit",
    .doc =
        "Whether an element's sign is minus, as bool: true for -0 and for NaN whose sign bit is "
        "set.",
    .inputs = {"x: floating"},
    .outputs = {"out: boolean"},
    .infer = infer::same_shape_bool,
    .grad = derive::not_differentiable("its result is bool"),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "signbit"}, Alias{"torch", "signbit"},
                 Alias{"jax", "numpy.signbit"}},
};

Tensor signbit(const Tensor& x, Where where) { return apply(kSignbit, inputs(x), kNoAttrs, where); }

}  // namespace weft
