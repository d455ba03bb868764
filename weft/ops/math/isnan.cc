// isnan: whether an element is NaN.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return isnan(x); }

}  // namespace

constinit const OpDef kIsNan{
    .name = "isnan",
    .doc =
        "Whether an element is NaN, as bool; a complex number is if either part is, integers "
        "and bools never are.",
    .inputs = {"x: any"},
    .outputs = {"out: boolean"},
    .infer = infer::same_shape_bool,
    .grad = derive::not_differentiable("its result is bool"),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "isnan"}, Alias{"torch", "isnan"}, Alias{"jax", "numpy.isnan"},
                 Alias{"tf", "math.is_nan"}},
};

Tensor isnan(const Tensor& x, Where where) { return apply(kIsNan, inputs(x), kNoAttrs, where); }

}  // namespace weft
