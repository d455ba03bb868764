// clip: elements brought between two bounds.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

// 1 where the condition holds, else 0, in the dtype of `like`.
template <class T>
T indicator(T condition, T like) {
  return where(condition, scalar_like(like, 1.0), scalar_like(like, 0.0));
}

Expr meaning(Expr x, Expr min, Expr max) { return minimum(maximum(x, min), max); }

}  // namespace

constinit const OpDef kClip{
    .name = "clip",
    .doc =
        "`minimum(maximum(x, min), max)`: elements brought between `min` and `max`; a bound "
        "that is left out bounds nothing. If `min` is above `max` the result is `max`; if any of "
        "the three is NaN it is NaN. The "
        "gradient goes to `x` from `min` to `max`, both included, and to the bound that was "
        "taken elsewhere.",
    .inputs = {"x: real", "min?=-inf: like x", "max?=inf: like x"},
    .outputs = {"out: like x"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto x, auto min, auto max, auto) {
              const auto fits = x <= max;
              return indicator((x >= min) & fits, x);
            },
                             [](auto x, auto min, auto max, auto) {
                               const auto in_order = min <= max;
                               return indicator((x < min) & in_order, x);
                             },
                             [](auto x, auto min, auto max, auto) {
                               // A bare > would end the template for g++ 12.
                               const auto crossed = (min > max);
                               return indicator((x > max) | crossed, x);
                             }>()
                .selecting(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "clip"}, Alias{"torch", "clamp"}, Alias{"torch", "clip"},
                 Alias{"jax", "numpy.clip"}, Alias{"tf", "clip_by_value"}},
};

Tensor clip(const Tensor& x, const Tensor& min, const Tensor& max, Where where) {
  return apply(kClip, inputs(x, min, max), kNoAttrs, where);
}

}  // namespace weft
