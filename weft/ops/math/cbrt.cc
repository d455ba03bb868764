// cbrt: cube root.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return cbrt(x); }

}  // namespace

constinit const OpDef kCbrt{
    .name = "cbrt",
    .doc = "Elementwise cube root, also of negative numbers. The derivative is infinite at 0.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto, auto out) {
      return decltype(out)(1.0) / (out * out * decltype(out)(3.0));
    }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "cbrt"}, Alias{"jax", "numpy.cbrt"}},
};

Tensor cbrt(const Tensor& x, Where where) { return apply(kCbrt, inputs(x), kNoAttrs, where); }

}  // namespace weft
