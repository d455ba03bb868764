// bitwise_and: a & b on bits.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Expr meaning(Expr a, Expr b) { return a & b; }

}  // namespace

constinit const OpDef kBitwiseAnd{
    .name = "bitwise_and",
    .doc = "Elementwise `a & b` on the bits of integers, or on bools.",
    .inputs = {"a: bits", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::not_differentiable("it works on bits"),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "bitwise_and"}, Alias{"torch", "bitwise_and"},
                 Alias{"jax", "numpy.bitwise_and"}, Alias{"tf", "bitwise.bitwise_and"}},
    .commutative = true,
    .associative = true,
};

Tensor bitwise_and(const Tensor& a, const Tensor& b, Where where) {
  return apply(kBitwiseAnd, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
