// threshold: `x`, or a value where it is not above a threshold.
#include "weft/op/apply.h"
#include "weft/op/promote.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

struct ThresholdAttrs {
  double threshold = 0, value = 0;
  static constexpr auto fields =
      fields_of(field("threshold", &ThresholdAttrs::threshold, "what `x` must exceed", kRequired),
                field("value", &ThresholdAttrs::value, "what takes its place", kRequired));
};

Tensors composed(const ThresholdAttrs& at, TensorSpan in) {
  const InferCtx cx{"threshold"};
  const Tensor& x = in[0];
  cx.require_type(!is_complex(x.dtype()), "dtype", "x has dtype ", x.dtype(),
                  ", but must be floating; cast it first");
  const DType dtype = is_floating(x.dtype()) ? x.dtype() : DType::kF32;
  const Tensor least = strong_scalar(cx.op, "threshold", at.threshold, dtype);
  return {where(x <= least, strong_scalar(cx.op, "value", at.value, dtype), x)};
}

}  // namespace

constinit const CompositeDef kThreshold{
    .name = "threshold",
    .module = "nn",
    .doc = "`x` where it is above `threshold` and `value` elsewhere; NaN stays NaN.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ThresholdAttrs>(),
    .compose = rule<composed>(),
    .known_as = {Alias{"torch", "nn.functional.threshold"}},
};

Tensor nn::threshold(const Tensor& x, double threshold, double value, Where where) {
  return compose(kThreshold, inputs(x), ThresholdAttrs{threshold, value}, where);
}

}  // namespace weft
