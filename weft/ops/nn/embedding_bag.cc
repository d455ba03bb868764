// embedding_bag: sums, means or maxima of the rows of a table, bag by bag.
#include "weft/ops/nn/embedding_bag.h"
#include "weft/op/apply.h"
#include "weft/op/decide_shapes.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/embedding.h"
#include "weft/ops/nn/nn.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

// Rows [.., features] times a weight each, and 0 where they are padding.
struct Entries {
  Tensor rows;
  Tensor counted;  // 1 for a row that counts, in the dtype of rows, with an axis of size 1 behind
};

Entries entries_of(const InferCtx& cx, const EmbeddingBagAttrs& at, TensorSpan in) {
  const Tensor &indices = in[0], &weight = in[1];
  Tensor rows = take(weight, indices, 0);
  if (in.size() > 3 && in[3].defined()) {
    const bool is_sum = at.mode == "sum";
    cx.require(is_sum, "weighted", "per_sample_weights are given with mode \"", at.mode,
               "\"; only a \"sum\" has weights");
    cx.require(decide_same(in[3].shape(), indices.shape()) != Tri::kNo, "weighted",
               "per_sample_weights have shape ", in[3].shape(), ", but indices ", indices.shape(),
               "; they must be equal");
    rows = rows * expand_dims(cast(in[3], rows.dtype()), -1);
  }
  Tensor counted = broadcast_to(Tensor::scalar(rows.dtype(), 1), Shape(indices.shape()));
  if (at.padding_idx) {
    const Tensor is_padding = names_padding(cx, indices, weight.dim(0), *at.padding_idx);
    const Tensor nothing = scalar_like(rows, at.mode == "max" ? -__builtin_inf() : 0);
    rows = where(expand_dims(is_padding, -1), nothing, rows);
    counted = where(is_padding, scalar_like(rows, 0), counted);
  }
  return {rows, expand_dims(counted, -1)};
}

// Rows [bags, entries, features].
Tensor of_matrix(const Entries& entries, const std::string& mode) {
  const Tensor& rows = entries.rows;
  const Tensor count = sum(entries.counted, Ints{1});
  if (mode != "max") {
    const Tensor total = sum(rows, Ints{1});
    return mode == "sum" ? total : total / maximum(count, 1.0);
  }
  if (rows.dim(1) == Dim(0)) return sum(rows, Ints{1});
  const Tensor most = max(rows, Ints{1});
  return where(equal(count, 0.0), scalar_like(rows, 0), most);
}

// Rows [entries, features], of bags that begin at the offsets.
Tensor of_offsets(const Entries& entries, const Tensor& offsets, const std::string& mode) {
  const Tensor bags = bags_of(offsets, entries.rows.dim(0).value());
  const auto summed = [&](const Tensor& terms) {
    const Tensor start = zeros(Shape{offsets.dim(0), terms.dim(1)}, terms.dtype());
    const Tensor places = broadcast_to(expand_dims(bags, -1), Shape(terms.shape()));
    return scatter_add(start, places, terms, 0);
  };
  if (mode == "sum") return summed(entries.rows);
  const Tensor count = summed(entries.counted);
  if (mode == "mean") {
    const Tensor divisor = maximum(count, 1.0);
    return summed(entries.rows) / divisor;
  }
  const Tensor most = segment_max(entries.rows, bags, offsets.dim(0).value());
  return where(equal(count, 0.0), scalar_like(most, 0), most);
}

Tensors composed(const EmbeddingBagAttrs& at, TensorSpan in) {
  const InferCtx cx{"embedding_bag"};
  const Tensor &indices = in[0], &weight = in[1];
  const bool has_offsets = in.size() > 2 && in[2].defined();
  cx.require(weight.rank() == 2, "weight", "weight has shape ", weight.shape(),
             "; it must be [rows, features]");
  const bool is_known = at.mode == "max" || at.mode == "sum" || at.mode == "mean";
  cx.require(is_known, "mode", "mode is \"", at.mode,
             "\"; it must be \"sum\", \"mean\" or \"max\"");
  cx.require(indices.rank() == (has_offsets ? 1 : 2), "bags", "indices have shape ",
             indices.shape(),
             has_offsets ? " with offsets; they must have one axis"
                         : " without offsets; they must be [bags, entries]");
  cx.require(!has_offsets || in[2].rank() == 1, "bags", "offsets have shape ",
             has_offsets ? in[2].shape() : indices.shape(), "; they must have one axis");
  const Entries entries = entries_of(cx, at, in);
  return {has_offsets ? of_offsets(entries, in[2], at.mode) : of_matrix(entries, at.mode)};
}

}  // namespace

constinit const CompositeDef kEmbeddingBag{
    .name = "embedding_bag",
    .module = "nn",
    .doc =
        "Rows of `weight` [rows, features], summed (or averaged, or their maxima taken) by bags: "
        "each row of a matrix of `indices` is a bag, or, with `offsets`, bag b is "
        "`indices[offsets[b]:offsets[b + 1]]`, where offsets ascend from 0 (equal ones make empty "
        "bags). Entries that "
        "name the row `padding_idx` are left out; a bag of nothing is 0. `per_sample_weights` "
        "scale the rows of "
        "a sum. Terms are added in the order of the indices where there are offsets. Equal maxima "
        "share the gradient equally.",
    .inputs = {"indices: int64", "weight: floating", "offsets?: int64",
               "per_sample_weights?: floating"},
    .outputs = {"out: like weight"},
    .attrs = attrs_type<EmbeddingBagAttrs>(),
    .laws = {Law{"weight", "`weight` is a matrix"}, Law{"mode", "`mode` is sum, mean or max"},
             Law{"bags", "`indices` are a matrix, or a vector where there are `offsets`, a vector"},
             Law{"offsets", "`offsets` ascend from 0 to at most the number of indices"},
             Law{"padding_idx", "`padding_idx` is a row of `weight`"},
             Law{"weighted", "weights have the shape of the indices, and `mode` is sum"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"torch", "nn.functional.embedding_bag"},
                 Alias{"tf", "nn.embedding_lookup_sparse"}},
};

namespace nn {

Tensor embedding_bag(const Tensor& indices, const Tensor& weight, const Tensor& offsets,
                     const std::string& mode, Where where) {
  return compose(kEmbeddingBag, inputs(indices, weight, offsets), EmbeddingBagAttrs{mode, {}},
                 where);
}

Tensor embedding_bag(const Tensor& indices, const Tensor& weight, const Tensor& offsets,
                     const Tensor& per_sample_weights, const EmbeddingBagAttrs& at, Where where) {
  return compose(kEmbeddingBag, inputs(indices, weight, offsets, per_sample_weights), at, where);
}

}  // namespace nn
}  // namespace weft
