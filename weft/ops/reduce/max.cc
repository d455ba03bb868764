// max: the greatest element over axes.
#include "weft/op/apply.h"
#include "weft/ops/reduce/extremum.h"

namespace weft {
namespace {

constexpr Reduction kReduction{
    .map = [](Expr x, Expr, Expr* state) { state[0] = x; },
    .combine =
        [](const Expr* a, const Expr* b, Expr* out) {
          out[0] = a[0].dtype() == DType::kBool ? a[0] | b[0] : maximum(a[0], b[0]);
        },
    .identity = [](DType x, Expr* state) { state[0] = lowest(x); },
};

}  // namespace

constinit const OpDef kMax{
    .name = "max",
    .doc =
        "The greatest element over `axis`; NaN if there is one. An axis without elements raises. "
        "The "
        "gradient is shared equally among elements that tie.",
    .inputs = {"x: ordered"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ReduceAttrs>(),
    .laws = {Law{"empty", "the axes have elements"}},
    .infer = rule<extremum_infer>(),
    .grad = derive::rules<extremum_vjp, extremum_jvp>(),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::reduction(kReduction),
    .known_as = {Alias{"numpy", "max"}, Alias{"numpy", "amax"}, Alias{"torch", "amax"},
                 Alias{"jax", "numpy.max"}, Alias{"tf", "reduce_max"}},
};

Tensor max(const Tensor& x, std::optional<Ints> axis, bool keepdims, Where where) {
  return apply(kMax, inputs(x), ReduceAttrs{std::move(axis), keepdims}, where);
}

}  // namespace weft
