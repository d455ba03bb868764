// isinf: whether an element is infinite.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Expr meaning(Expr x) { return isinf(x); }

}  // namespace

constinit const OpDef kIsInf{
    .name = "isinf",
    .doc =
        "Whether an element is an infinity of either sign, as bool; a complex number is if "
        "either part is, integers and bools never are.",
    .inputs = {"x: any"},
    .outputs = {"out: boolean"},
    .infer = infer::same_shape_bool,
    .grad = derive::not_differentiable("its result is bool"),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "isinf"}, Alias{"torch", "isinf"}, Alias{"jax", "numpy.isinf"},
                 Alias{"tf", "math.is_inf"}},
};

Tensor isinf(const Tensor& x, Where where) { return apply(kIsInf, inputs(x), kNoAttrs, where); }

}  // namespace weft
