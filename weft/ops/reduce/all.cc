// all: whether every element over axes is true.
#include "weft/op/apply.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace {

constexpr Reduction kReduction{
    .map = [](Expr x, Expr, Expr* state) { state[0] = cast(x, DType::kBool); },
    .combine = [](const Expr* a, const Expr* b, Expr* out) { out[0] = a[0] & b[0]; },
    .identity = [](DType, Expr* state) { state[0] = Expr::constant_bits(DType::kBool, 1); },
    .empty = 1,
};

}  // namespace

constinit const OpDef kAll{
    .name = "all",
    .doc =
        "Whether every element over `axis` is true: not zero, so NaN is true. Of no elements it is "
        "true.",
    .inputs = {"x: any"},
    .outputs = {"out: boolean"},
    .attrs = attrs_type<ReduceAttrs>(),
    .infer = rule<truth_infer>(),
    .grad = derive::not_differentiable("its result is a bool"),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::reduction(kReduction),
    .known_as = {Alias{"numpy", "all"}, Alias{"torch", "all"}, Alias{"jax", "numpy.all"},
                 Alias{"tf", "reduce_all"}},
};

Tensor all(const Tensor& x, std::optional<Ints> axis, bool keepdims, Where where) {
  return apply(kAll, inputs(x), ReduceAttrs{std::move(axis), keepdims}, where);
}

}  // namespace weft
