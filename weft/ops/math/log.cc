// log: natural logarithm.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return log(x); }

}  // namespace

constinit const OpDef kLog{
    .name = "log",
    .doc =
        "Elementwise natural logarithm: -inf at 0 and NaN below; of complex numbers the "
        "principal value, with its branch cut along the negative reals.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) { return decltype(x)(1.0) / x; }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "log"}, Alias{"torch", "log"}, Alias{"jax", "numpy.log"},
                 Alias{"tf", "math.log"}},
};

Tensor log(const Tensor& x, Where where) { return apply(kLog, inputs(x), kNoAttrs, where); }

}  // namespace weft
