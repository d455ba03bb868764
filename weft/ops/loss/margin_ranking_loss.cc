// margin_ranking_loss: the one that should be greater is not, by a margin.
#include "weft/op/apply.h"
#include "weft/ops/loss/loss.h"
#include "weft/ops/loss/margin.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

Tensors compose_margin_ranking_loss(const MarginAttrs& at, TensorSpan in) {
  const auto [a, b] = loss_inputs("margin_ranking_loss", in);
  const Tensor losses = relu(at.margin - in[2] * (a - b));
  return {reduced_loss("margin_ranking_loss", losses, at.reduction)};
}

}  // namespace

constinit const CompositeDef kMarginRankingLoss{
    .name = "margin_ranking_loss",
    .module = "nn",
    .doc =
        "`max(0, margin - target * (input1 - input2))`, where the target is 1 if `input1` should "
        "be greater and -1 if `input2` should; of these the mean, the sum or, with \"none\", all.",
    .inputs = {"input1: floating", "input2: like input1", "target: like input1"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<MarginAttrs>(),
    .laws = {Law{"shape", "`input1` and `input2` have one shape"}, kReductionLaw},
    .compose = rule<compose_margin_ranking_loss>(),
    .known_as = {Alias{"torch", "nn.functional.margin_ranking_loss"}},
};

Tensor nn::margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                               double margin, Reduction reduction, Where where) {
  return compose(kMarginRankingLoss, inputs(input1, input2, target),
                 MarginAttrs{margin, reduction_text(reduction)}, where);
}

}  // namespace weft
