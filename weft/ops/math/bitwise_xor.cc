// bitwise_xor: a ^ b on bits.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Expr meaning(Expr a, Expr b) { return a ^ b; }

}  // namespace

constinit const OpDef kBitwiseXor{
    .name = "bitwise_xor",
    .doc = "Elementwise `a ^ b` on the bits of integers, or on bools.",
    .inputs = {"a: bits", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::not_differentiable("it works on bits"),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "bitwise_xor"}, Alias{"torch", "bitwise_xor"},
                 Alias{"jax", "numpy.bitwise_xor"}, Alias{"tf", "bitwise.bitwise_xor"}},
    .commutative = true,
    .associative = true,
};

Tensor bitwise_xor(const Tensor& a, const Tensor& b, Where where) {
  return apply(kBitwiseXor, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
