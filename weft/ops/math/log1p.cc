// log1p: log(1 + x).
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return log1p(x); }

}  // namespace

constinit const OpDef kLog1p{
    .name = "log1p",
    .doc = "Elementwise `log(1 + x)`, exact also for small `x`: -inf at -1 and NaN below.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad =
        derive::partials<[](auto x, auto) { return decltype(x)(1.0) / (x + decltype(x)(1.0)); }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "log1p"}, Alias{"torch", "log1p"}, Alias{"jax", "numpy.log1p"},
                 Alias{"tf", "math.log1p"}},
};

Tensor log1p(const Tensor& x, Where where) { return apply(kLog1p, inputs(x), kNoAttrs, where); }

}  // namespace weft
