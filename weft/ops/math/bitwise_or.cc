// bitwise_or: a | b on bits.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Expr meaning(Expr a, Expr b) { return a | b; }

}  // namespace

constinit const OpDef kBitwiseOr{
    .name = "bitwise_or",
    .doc = "Elementwise `a | b` on the bits of integers, or on bools.",
    .inputs = {"a: bits", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::not_differentiable("it works on bits"),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "bitwise_or"}, Alias{"torch", "bitwise_or"},
                 Alias{"jax", "numpy.bitwise_or"}, Alias{"tf", "bitwise.bitwise_or"}},
    .commutative = true,
    .associative = true,
};

Tensor bitwise_or(const Tensor& a, const Tensor& b, Where where) {
  return apply(kBitwiseOr, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
