// embedding: the rows of a table that indices name.
#include "weft/ops/nn/embedding.h"
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct EmbeddingAttrs {
  std::optional<int64_t> padding_idx;
  static constexpr auto fields =
      fields_of(field("padding_idx", &EmbeddingAttrs::padding_idx, "a row that gets no gradient"));
};

Tensors composed(const EmbeddingAttrs& at, TensorSpan in) {
  const InferCtx cx{"embedding"};
  const Tensor &indices = in[0], &weight = in[1];
  cx.require(weight.rank() == 2, "weight", "weight has shape ", weight.shape(),
             "; it must be [rows, features]");
  const Tensor rows = take(weight, indices, 0);
  if (!at.padding_idx) return {rows};
  const Tensor is_padding = names_padding(cx, indices, weight.dim(0), *at.padding_idx);
  const Tensor constant = stop_gradient(rows);
  return {where(expand_dims(is_padding, -1), constant, rows)};
}

}  // namespace

Tensor names_padding(const InferCtx& cx, const Tensor& indices, Dim rows, int64_t padding) {
  const Tensor wide = cast(indices, DType::kI64), is_it = equal(wide, padding);
  const std::optional<int64_t> known = decided_value(rows);
  if (!known) return is_it;
  const int64_t count = *known;
  cx.require_index(-count <= padding && padding < count, "padding_idx", "padding_idx is ", padding,
                   ", but weight has ", count, " rows; it must name one of them");
  return logical_or(is_it, equal(wide, padding < 0 ? padding + count : padding - count));
}

constinit const CompositeDef kEmbedding{
    .name = "embedding",
    .module = "nn",
    .doc =
        "`weight[indices]`: for each index its row of `weight` [rows, features]; the result has "
        "the shape of `indices` (of any integer dtype) with the features behind it. The row "
        "`padding_idx` is read as any "
        "other but has gradient 0 (and tangent 0). An index out of range raises.",
    .inputs = {"indices: int64", "weight: any"},
    .outputs = {"out: like weight"},
    .attrs = attrs_type<EmbeddingAttrs>(),
    .laws = {Law{"weight", "`weight` is a matrix"},
             Law{"range", "indices name rows, from -rows to rows - 1"},
             Law{"padding_idx", "`padding_idx` is a row of `weight`"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"torch", "nn.functional.embedding"},
                 Alias{"tf", "nn.embedding_lookup: ours takes the indices first, then the table"},
                 Alias{"flax", "linen.Embed"}},
};

namespace nn {

Tensor embedding(const Tensor& indices, const Tensor& weight, std::optional<int64_t> padding_idx,
                 Where where) {
  return compose(kEmbedding, inputs(indices, weight), EmbeddingAttrs{padding_idx}, where);
}

}  // namespace nn
}  // namespace weft
