// acos: inverse cosine.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return acos(x); }

}  // namespace

constinit const OpDef kAcos{
    .name = "acos",
    .doc =
        "Elementwise inverse cosine, between 0 and pi; NaN outside of [-1, 1]. Of complex numbers "
        "the principal value, with cuts along the real axis outside of [-1, 1]. The derivative is "
        "infinite at -1 and 1.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::partials<[](auto x, auto) {
      const auto above = decltype(x)(1.0) + x;
      return decltype(x)(-1.0) / sqrt((decltype(x)(1.0) - x) * above);
    }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "arccos"}, Alias{"numpy", "acos"}, Alias{"torch", "acos"},
                 Alias{"torch", "arccos"}, Alias{"jax", "numpy.arccos"}, Alias{"tf", "acos"}},
};

Tensor acos(const Tensor& x, Where where) { return apply(kAcos, inputs(x), kNoAttrs, where); }

}  // namespace weft
