// bitwise_left_shift: bits moved up.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Expr meaning(Expr a, Expr b) { return shift_left(a, b); }

}  // namespace

constinit const OpDef kBitwiseLeftShift{
    .name = "bitwise_left_shift",
    .doc =
        "The bits of `a` moved up by `b` places; zeros enter below. A shift by the width of "
        "the dtype or more, or by a negative number, gives 0.",
    .inputs = {"a: integer", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::not_differentiable("it works on bits"),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "left_shift"}, Alias{"numpy", "bitwise_left_shift"},
                 Alias{"torch", "bitwise_left_shift"}, Alias{"jax", "numpy.left_shift"},
                 Alias{"tf", "bitwise.left_shift"}},
};

Tensor bitwise_left_shift(const Tensor& a, const Tensor& b, Where where) {
  return apply(kBitwiseLeftShift, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
