// What all losses share: the reduction, and inputs of one shape.
#include "weft/ops/loss/loss.h"

#include "weft/op/decide_shapes.h"
#include "weft/ops/loss/loss_floating.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {

std::string reduction_text(nn::Reduction reduction) {
  switch (reduction) {
    case nn::Reduction::kMean: return "mean";
    case nn::Reduction::kSum: return "sum";
    default: return "none";
  }
}

void require_reduction(std::string_view op, std::string_view reduction) {
  const bool is_known = reduction == "mean" || reduction == "sum" || reduction == "none";
  InferCtx{op}.require(is_known, "reduction", "reduction is \"", reduction,
                       "\"; it must be \"mean\", \"sum\" or \"none\"");
}

Tensor reduced_loss(std::string_view op, const Tensor& losses, std::string_view reduction) {
  require_reduction(op, reduction);
  if (reduction == "mean") return mean(losses);
  return reduction == "sum" ? sum(losses) : losses;
}

Tensor counted_by(const Tensor& factor, const Tensor& terms) {
  const Tensor product = factor * terms;
  return where(equal(factor, 0.0), 0.0, product);
}

Tensor loss_floating(std::string_view op, const Tensor& x) {
  const Tensor out = as_floating(op, x);
  const DType wide = compute_of(out.dtype());
  return wide == out.dtype() ? out : cast(out, wide);
}

std::pair<Tensor, Tensor> loss_inputs(std::string_view op, TensorSpan in) {
  Tensor input = loss_floating(op, in[0]);
  Tensor target = loss_floating(op, in[1]);
  InferCtx{op}.require(decide_same(input.shape(), target.shape()) != Tri::kNo, "shape",
                       "input has shape ", input.shape(), " but target has shape ", target.shape(),
                       "; they must be equal");
  return {std::move(input), std::move(target)};
}

}  // namespace weft
