// percentile: the element at a given part of the order, in hundredths.
#include "weft/ops/sort/percentile.h"

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/check_values.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/sort/sort_ops.h"

namespace weft {
namespace {

void require_percents(const InferCtx& cx, TensorSpan q, const Ints&) {
  if (q[0].numel() == 0) return;
  const Tensor wide = cast(q[0], DType::kF64);
  const double least = min(wide).item(), greatest = max(wide).item();
  cx.require(least >= 0 && greatest <= 100, "q", "q goes from ", least, " to ", greatest,
             "; it must be between 0 and 100");
}

Tensors composed(const ReduceAttrs& at, TensorSpan in) {
  const InferCtx cx{"percentile"};
  cx.require_type(!is_complex(in[1].dtype()), "dtype", "q has dtype ", in[1].dtype(),
                  ", but must be floating; cast it first");
  const Tensor percents = checked(kPercentileQ, in[1]);
  const Tensor q = computed_if_known(TensorSpan(&percents, 1),
                                     [&] { return cast(percents, DType::kF64) / 100.0; });
  return {quantile(in[0], q, at.axis, at.keepdims)};
}

}  // namespace

constinit const ValueCheck kPercentileQ{"percentile", "q", require_percents};

constinit const CompositeDef kPercentile{
    .name = "percentile",
    .doc =
        "`quantile(x, q / 100)`: the element below which `q` percent of the others lie, between "
        "its neighbours by linear interpolation; NaN if there is a NaN. The axes of `q` come first "
        "in the result. Axes without elements raise. Integers and bools become float32.",
    .inputs = {"x: floating", "q: floating"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ReduceAttrs>(),
    .laws = {Law{"empty", "the axes have elements"}, Law{"dtype", "q is floating"},
             Law{"q", "q is between 0 and 100"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"numpy", "percentile"}, Alias{"jax", "numpy.percentile"}},
};

Tensor percentile(const Tensor& x, const Tensor& q, std::optional<Ints> axis, bool keepdims,
                  Where where) {
  return compose(kPercentile, inputs(x, q), ReduceAttrs{std::move(axis), keepdims}, where);
}

}  // namespace weft
