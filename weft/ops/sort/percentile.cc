// percentile: the element at a given part of the order, in hundredths.
#include "weft/ops/sort/percentile.h"

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/sort/sort_ops.h"

namespace weft {
namespace {

Tensors composed(const ReduceAttrs& at, TensorSpan in) {
  const InferCtx cx{"percentile"};
  cx.require_type(!is_complex(in[1].dtype()), "dtype", "q has dtype ", in[1].dtype(),
                  ", but must be floating; cast it first");
  const Tensor q = cast(in[1], DType::kF64);
  if (q.is_concrete() && q.numel() > 0) {
    const double least = min(q).item(), greatest = max(q).item();
    cx.require(least >= 0 && greatest <= 100, "q", "q goes from ", least, " to ", greatest,
               "; it must be between 0 and 100");
  }
  return {quantile(in[0], q / 100.0, at.axis, at.keepdims)};
}

}  // namespace

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
