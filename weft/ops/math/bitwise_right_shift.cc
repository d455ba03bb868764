// bitwise_right_shift: bits moved down.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Expr meaning(Expr a, Expr b) { return shift_right(a, b); }

}  // namespace

constinit const OpDef kBitwiseRightShift{
    .name = "bitwise_right_shift",
    .doc =
        "The bits of `a` moved down by `b` places; copies of the sign enter above (zeros, if "
        "unsigned). A shift by the width of the dtype or more, or by a negative number, "
        "leaves only the sign: 0 or -1.",
    .inputs = {"a: integer", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::not_differentiable("it works on bits"),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "right_shift"}, Alias{"numpy", "bitwise_right_shift"},
                 Alias{"torch", "bitwise_right_shift"}, Alias{"jax", "numpy.right_shift"},
                 Alias{"tf", "bitwise.right_shift"}},
};

Tensor bitwise_right_shift(const Tensor& a, const Tensor& b, Where where) {
  return apply(kBitwiseRightShift, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
