// min: the least element over axes.
#include "weft/op/apply.h"
#include "weft/ops/reduce/extremum.h"

namespace weft {
namespace {

constexpr Reduction kReduction{
    .map = [](Expr x, Expr, Expr* state) { state[0] = x; },
    .combine =
        [](const Expr* a, const Expr* b, Expr* out) {
          out[0] = a[0].dtype() == DType::kBool ? a[0] & b[0] : minimum(a[0], b[0]);
        },
    .identity = [](DType x, Expr* state) { state[0] = highest(x); },
};

}  // namespace

constinit const OpDef kMin{
    .name = "min",
    .doc =
        "The least element over `axis`; NaN if there is one. An axis without elements raises. The "
        "gradient is shared equally among elements that tie.",
    .inputs = {"x: ordered"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ReduceAttrs>(),
    .laws = {Law{"empty", "the axes have elements"}},
    .infer = rule<extremum_infer>(),
    .grad = derive::rules<extremum_vjp, extremum_jvp>(),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::reduction(kReduction),
    .known_as = {Alias{"numpy", "min"}, Alias{"numpy", "amin"}, Alias{"torch", "amin"},
                 Alias{"jax", "numpy.min"}, Alias{"tf", "reduce_min"}},
};

Tensor min(const Tensor& x, std::optional<Ints> axis, bool keepdims, Where where) {
  return apply(kMin, inputs(x), ReduceAttrs{std::move(axis), keepdims}, where);
}

}  // namespace weft
