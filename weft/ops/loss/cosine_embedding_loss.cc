// cosine_embedding_loss: alike or not, by the angle between two vectors.
#include "weft/op/apply.h"
#include "weft/ops/loss/loss.h"
#include "weft/ops/loss/margin.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

Tensors compose_cosine_embedding_loss(const MarginAttrs& at, TensorSpan in) {
  const InferCtx cx{"cosine_embedding_loss"};
  const auto [a, b] = loss_inputs(cx.op, in);
  cx.require(a.rank() > 0, "rank", "the inputs have rank 0; their vectors are along the last axis");
  const Tensor& target = in[2];
  const Tensor cosine = nn::cosine_similarity(a, b, -1);
  const Tensor apart = relu(cosine - at.margin);
  const Tensor otherwise = where(target < 0, apart, 0.0), near = 1.0 - cosine;
  const Tensor losses = where(target > 0, near, otherwise);
  return {reduced_loss(cx.op, losses, at.reduction)};
}

}  // namespace

constinit const CompositeDef kCosineEmbeddingLoss{
    .name = "cosine_embedding_loss",
    .module = "nn",
    .doc =
        "With the cosine of the angle between the vectors along the last axis: `1 - cosine` where "
        "the target is 1 (alike), `max(0, cosine - margin)` where it is -1; of these the mean, the "
        "sum or, with \"none\", all.",
    .inputs = {"input1: floating", "input2: like input1", "target: real"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<MarginAttrs>(),
    .laws = {Law{"shape", "`input1` and `input2` have one shape"}, kReductionLaw,
             Law{"rank", "the inputs have an axis"}},
    .compose = rule<compose_cosine_embedding_loss>(),
    .known_as = {Alias{"torch", "nn.functional.cosine_embedding_loss"}},
};

Tensor nn::cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                                 double margin, Reduction reduction, Where where) {
  return compose(kCosineEmbeddingLoss, inputs(input1, input2, target),
                 MarginAttrs{margin, reduction_text(reduction)}, where);
}

}  // namespace weft
