// divide: elementwise a / b.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr a, Expr b) { return a / b; }

}  // namespace

constinit const OpDef kDivide{
    .name = "divide",
    .doc =
        "Elementwise `a / b`, as IEEE 754 divides: `x / 0` is an infinity and `0 / 0` is "
        "NaN. Integers and bools are divided as float32; `floor_divide` divides integers as "
        "integers.",
    .inputs = {"a: inexact", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto, auto b, auto) { return decltype(b)(1.0) / b; },
                             [](auto, auto b, auto out) { return -out / b; }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "divide"}, Alias{"numpy", "true_divide"}, Alias{"torch", "div"},
                 Alias{"torch", "true_divide"}, Alias{"jax", "numpy.divide"},
                 Alias{"jax", "numpy.true_divide"}, Alias{"tf", "divide"}, Alias{"tf", "truediv"}},
};

Tensor divide(const Tensor& a, const Tensor& b, Where where) {
  return apply(kDivide, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
