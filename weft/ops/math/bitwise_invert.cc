// bitwise_invert: all bits flipped.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return ~x; }

}  // namespace

constinit const OpDef kBitwiseInvert{
    .name = "bitwise_invert",
    .doc = "Every bit flipped: `~x` of an integer, `not x` of a bool.",
    .inputs = {"x: bits"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::not_differentiable("it works on bits"),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "bitwise_invert"}, Alias{"numpy", "invert"},
                 Alias{"torch", "bitwise_not"}, Alias{"jax", "numpy.bitwise_not"},
                 Alias{"tf", "bitwise.invert"}},
};

Tensor bitwise_invert(const Tensor& x, Where where) {
  return apply(kBitwiseInvert, inputs(x), kNoAttrs, where);
}

}  // namespace weft
