// expm1: exp(x) - 1.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return expm1(x); }

}  // namespace

constinit const OpDef kExpm1{
    .name = "expm1",
    .doc = "Elementwise `exp(x) - 1`, exact also for small `x`.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto, auto out) { return out + decltype(out)(1.0); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "expm1"}, Alias{"torch", "expm1"}, Alias{"jax", "numpy.expm1"},
                 Alias{"tf", "math.expm1"}},
};

Tensor expm1(const Tensor& x, Where where) { return apply(kExpm1, inputs(x), kNoAttrs, where); }

}  // namespace weft
