// copysign: the size of a with the sign of b.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

Expr meaning(Expr a, Expr b) {
  const DType integer = b.dtype() == DType::kF32 ? DType::kI32 : DType::kI64;
  return where(bitcast(b, integer) < 0, -abs(a), abs(a));
}

}  // namespace

constinit const OpDef kCopysign{
    .name = "copysign",
    .doc =
        "The absolute value of `a` with the sign of `b`, also that of a zero or a NaN there. Where "
        "`a` is NaN the result is the one NaN that every op gives, without a sign. The derivative "
        "with "
        "respect to `a` is 1 where the signs agree, -1 where they differ and 0 at `a = 0`; with "
        "respect to `b` it is 0.",
    .inputs = {"a: floating", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto a, auto, auto out) {
              const auto kept = where(a == out, scalar_like(a, 1.0), scalar_like(a, -1.0));
              return where(a == decltype(a)(0.0), scalar_like(a, 0.0), kept);
            },
                             [](auto, auto b, auto) { return decltype(b)(0.0); }>()
                .selecting(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "copysign: its NaN has the sign of b, ours has none"},
                 Alias{"torch", "copysign"}, Alias{"jax", "numpy.copysign"}},
};

Tensor copysign(const Tensor& a, const Tensor& b, Where where) {
  return apply(kCopysign, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
