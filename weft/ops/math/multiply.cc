// multiply: elementwise a * b.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr a, Expr b) { return a.dtype() == DType::kBool ? a & b : a * b; }

}  // namespace

constinit const OpDef kMultiply{
    .name = "multiply",
    .doc = "Elementwise `a * b`. Integers wrap around; bool multiplies as logical and.",
    .inputs = {"a: any", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto, auto b, auto) { return b; },
                             [](auto a, auto, auto) { return a; }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "multiply"}, Alias{"torch", "mul"}, Alias{"jax", "numpy.multiply"},
                 Alias{"tf", "multiply"}},
    .commutative = true,
    .associative = true,
};

Tensor multiply(const Tensor& a, const Tensor& b, Where where) {
  return apply(kMultiply, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
