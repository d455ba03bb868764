// isfinite: whether an element is finite.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return !(isnan(x) | isinf(x)); }

}  // namespace

constinit const OpDef kIsFinite{
    .name = "isfinite",
    .doc =
        "Whether an element is neither infinite nor NaN, as bool; both parts of a complex "
        "number must be, integers and bools always are.",
    .inputs = {"x: any"},
    .outputs = {"out: boolean"},
    .infer = infer::same_shape_bool,
    .grad = derive::not_differentiable("its result is bool"),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "isfinite"}, Alias{"torch", "isfinite"},
                 Alias{"jax", "numpy.isfinite"}, Alias{"tf", "math.is_finite"}},
};

Tensor isfinite(const Tensor& x, Where where) {
  return apply(kIsFinite, inputs(x), kNoAttrs, where);
}

}  // namespace weft
