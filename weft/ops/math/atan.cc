// atan: inverse tangent.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return atan(x); }

}  // namespace

constinit const OpDef kAtan{
    .name = "atan",
    .doc =
        "Elementwise inverse tangent, between -pi/2 and pi/2. Of complex numbers the principal "
        "value, with cuts along the imaginary axis outside of [-i, i].",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) {
      return decltype(x)(1.0) / (x * x + decltype(x)(1.0));
    }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "arctan"}, Alias{"numpy", "atan"}, Alias{"torch", "atan"},
                 Alias{"torch", "arctan"}, Alias{"jax", "numpy.arctan"}, Alias{"tf", "atan"}},
};

Tensor atan(const Tensor& x, Where where) { return apply(kAtan, inputs(x), kNoAttrs, where); }

}  // namespace weft
