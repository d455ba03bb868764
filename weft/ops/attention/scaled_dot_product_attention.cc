// scaled_dot_product_attention: softmax(q k^T * scale + mask) v, for heads that may share keys.
#include <cmath>

#include "weft/op/apply.h"
#include "weft/op/decide_shapes.h"
#include "weft/ops/attention/attention.h"
#include "weft/ops/dropout/dropout.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

// x with `rank` axes, those in front of size 1.
Tensor with_rank(const Tensor& x, int64_t rank) {
  Shape shape;
  for (int64_t d = x.rank(); d < rank; ++d) shape.push_back(1);
  for (const Dim dim : x.shape()) shape.push_back(dim);
  return reshape(x, shape);
}

Dim product(ShapeView dims) { return num_elements(dims); }

// The mask as one that is added, with axes [batch, heads, groups, queries, keys].
Tensor added_mask(const InferCtx& cx, const Tensor& given, const Tensor& q, Dim keys, Dim groups) {
  const DType dtype = q.dtype();
  Tensor mask = given;
  cx.require_type(mask.dtype() == DType::kBool || is_floating(mask.dtype()), "mask",
                  "the mask has dtype ", mask.dtype(),
                  "; it must be bool (false hides a key) or floating (added to the scores)");
  if (mask.dtype() == DType::kBool) {
    mask = where(mask, Tensor::scalar(dtype, 0), Tensor::scalar(dtype, -__builtin_inf()));
  }
  const int64_t rank = q.rank();
  Shape scores(q.shape());
  scores.back() = keys;
  cx.require(
      mask.rank() <= rank && decide_same(cx.broadcast(scores, mask.shape()), scores) != Tri::kNo,
      "mask", "the mask has shape ", given.shape(), ", which does not broadcast to ", scores);
  mask = with_rank(cast(mask, dtype), rank < 4 ? 4 : rank);
  const size_t last = mask.shape().size();
  const ShapeView before = mask.shape().first(last - 3);
  const Dim batch = product(before);
  // Broadcast axes in front are joined as they are, unless some have elements and some not.
  Shape full(mask.shape());
  bool is_shared = batch == Dim(1);
  if (!is_shared && rank > 3) {
    for (size_t d = 0; d + 3 < last; ++d) full[d] = scores[d];
    mask = broadcast_to(mask, full);
  }
  const Dim joined = is_shared ? Dim(1) : product(ShapeView(full).first(last - 3));
  const Dim heads = full[last - 3];
  const bool split = !(heads == Dim(1));
  return reshape(mask, Shape{joined, split ? floor_div(heads, groups) : Dim(1),
                             split ? groups : Dim(1), full[last - 2], full[last - 1]});
}

// Dropped weights are drawn as one matrix, which is kept.
Tensor with_dropout(const InferCtx& cx, const AttentionAttrs& at, const FlashAttrs& flash,
                    TensorSpan in, TensorSpan all) {
  cx.require(in.size() > 4 && in[4].defined(), "key", "dropout_p is ", at.dropout_p,
             " without a key; give one, random.Key(seed)");
  const PlainAttention plain(flash, all[0], all[1], all[2], all.size() > 3 ? all[3] : Tensor(),
                             Where{});
  const Tensor weights = nn::dropout(in[4], softmax(plain.scores(), -1), at.dropout_p);
  return matmul(weights, plain.v);
}

// q, k and v with the batch axes they have together; heads too, unless groups of them are shared.
// Sizes that do not broadcast stay, for the laws to speak of.
void broadcast_batch(bool shares_heads, Tensor (&x)[3]) {
  const int64_t axes = x[0].rank() - (shares_heads ? 3 : 2);
  Shape shapes[3] = {Shape(x[0].shape()), Shape(x[1].shape()), Shape(x[2].shape())};
  for (size_t d = 0; static_cast<int64_t>(d) < axes; ++d) {
    Dim size = 1;
    for (const Tensor& one : x) {
      if (size == Dim(1)) size = one.shape()[d];
    }
    for (Shape& shape : shapes) {
      if (shape[d] == Dim(1)) shape[d] = size;
    }
  }
  for (size_t i = 0; i < 3; ++i) {
    if (!(shapes[i] == Shape(x[i].shape()))) x[i] = broadcast_to(x[i], shapes[i]);
  }
}

// The scale; none where the features are known only when a graph runs, which then decides it.
std::optional<double> scale_of(const AttentionAttrs& at, const Tensor& q, const Tensor& k) {
  if (at.scale) return at.scale;
  std::optional<int64_t> features = decided_value(q.dim(-1));
  if (!features) features = decided_value(k.dim(-1));
  return features ? std::optional(1 / std::sqrt(static_cast<double>(*features))) : std::nullopt;
}

Tensors composed(const AttentionAttrs& at, TensorSpan in) {
  const InferCtx cx{"scaled_dot_product_attention"};
  Tensor x[3] = {in[0], in[1], in[2]};
  const Tensor &q = x[0], &k = x[1], &v = x[2];
  const int64_t rank = q.rank();
  cx.require(rank >= 2 && k.rank() == rank && v.rank() == rank, "rank", "q, k and v have shapes ",
             q.shape(), ", ", k.shape(), " and ", v.shape(),
             "; they must have as many axes, 2 at least");
  if (rank > 2) broadcast_batch(at.enable_gqa, x);
  const auto axes = static_cast<size_t>(rank);
  const Dim heads = rank > 2 ? q.dim(-3) : Dim(1), own = rank > 2 ? k.dim(-3) : Dim(1);
  const Dim groups = at.enable_gqa && !(own == Dim(0)) ? floor_div(heads, own) : Dim(1);
  Shape batch_q(q.shape().first(axes - 2)), batch_k(k.shape().first(axes - 2)),
      batch_v(v.shape().first(axes - 2));
  if (rank > 2) batch_k.back() *= groups, batch_v.back() *= groups;
  cx.require(decide_same(batch_q, batch_k) != Tri::kNo &&
                 decide_same(batch_q, batch_v) != Tri::kNo &&
                 decide_same(q.dim(-1), k.dim(-1)) != Tri::kNo &&
                 decide_same(k.dim(-2), v.dim(-2)) != Tri::kNo,
             "shape", "q, k and v have shapes ", q.shape(), ", ", k.shape(), " and ", v.shape(),
             "; they must be [.., heads, queries, features], [.., heads, keys, features] and [.., "
             "heads, keys, ..], where q may have a multiple of the heads with enable_gqa");
  const Dim batch = rank > 3 ? product(q.shape().first(axes - 3)) : Dim(1);
  const FlashAttrs flash{at.is_causal, scale_of(at, q, k)};
  Tensors all{reshape(q, Shape{batch, own, groups, q.dim(-2), q.dim(-1)}),
              reshape(k, Shape{batch, own, k.dim(-2), k.dim(-1)}),
              reshape(v, Shape{batch, own, v.dim(-2), v.dim(-1)})};
  if (in.size() > 3 && in[3].defined()) {
    all.push_back(added_mask(cx, in[3], q, k.dim(-2), groups));
  }
  const Tensor out = at.dropout_p == 0 ? apply_all(kFlash, all, flash, Where{})[0]
                                       : with_dropout(cx, at, flash, in, all);
  Shape shape(q.shape());
  shape.back() = v.dim(-1);
  return {reshape(out, shape)};
}

}  // namespace

constinit const CompositeDef kScaledDotProductAttention{
    .name = "scaled_dot_product_attention",
    .module = "nn",
    .doc =
        "`softmax(q k^T * scale + mask) v` for queries [.., heads, queries, features], keys [.., "
        "heads, keys, features] and values [.., heads, keys, ..], whose axes in front broadcast. A "
        "boolean mask is true where a "
        "query sees a key; others are added. Both broadcast to [.., heads, queries, keys], and "
        "`is_causal` hides keys behind the query besides. A query that sees no key gives 0. Memory "
        "is linear in queries and keys, forwards and backwards; only the gradient of a mask needs "
        "a matrix of its size, and dropout one of weights, of which each is dropped as by "
        "nn.dropout. "
        "The order of summation is that of flash_attention.",
    .inputs = {"q: floating", "k: like q", "v: like q", "mask?: ordered", "key?: key"},
    .outputs = {"out: like q"},
    .attrs = attrs_type<AttentionAttrs>(),
    .laws = {Law{"rank", "q, k and v have as many axes, 2 at least"},
             Law{"shape", "batch, heads, features and keys are those of each other"},
             Law{"mask", "the mask is bool or floating and broadcasts to the scores"},
             Law{"key", "dropout draws from a key"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"torch", "nn.functional.scaled_dot_product_attention"},
                 Alias{"jax",
                       "nn.dot_product_attention: its axes are [batch, queries, heads, features], "
                       "ours [batch, heads, queries, features]"},
                 Alias{"tf", "keras.layers.Attention"}},
};

namespace nn {

Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const Tensor& mask, bool is_causal, Where where) {
  return compose(kScaledDotProductAttention, inputs(q, k, v, mask),
                 AttentionAttrs{is_causal, {}, false, 0}, where);
}

Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const Tensor& mask, const Tensor& key, const AttentionAttrs& at,
                                    Where where) {
  return compose(kScaledDotProductAttention, inputs(q, k, v, mask, key), at, where);
}

}  // namespace nn
}  // namespace weft
