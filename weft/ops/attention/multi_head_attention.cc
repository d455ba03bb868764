// multi_head_attention: attention by heads that are parts of the last axis.
#include "weft/op/apply.h"
#include "weft/ops/attention/attention.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct HeadsAttrs {
  int64_t num_heads = 1;
  bool is_causal = false;
  std::optional<double> scale;
  double dropout_p = 0;
  static constexpr auto fields =
      fields_of(field("num_heads", &HeadsAttrs::num_heads,
                      "into how many heads features are divided", kRequired),
                field("is_causal", &HeadsAttrs::is_causal, "query i sees keys up to i only"),
                field("scale", &HeadsAttrs::scale,
                      "what scores are multiplied by; 1 / sqrt(features of a head) if left out"),
                field("dropout_p", &HeadsAttrs::dropout_p,
                      "the probability that a weight is dropped; needs a key"));
};

// [.., rows, heads * features] as [.., heads, rows, features], and back.
Tensor parted(const Tensor& x, int64_t heads) {
  Shape shape(x.shape());
  shape.back() = heads;
  shape.push_back(floor_div(x.dim(-1), heads));
  Ints order;
  for (int64_t d = 0; d < x.rank() - 2; ++d) order.push_back(d);
  for (const int64_t d : {x.rank() - 1, x.rank() - 2, x.rank()}) order.push_back(d);
  return permute_dims(reshape(x, shape), order);
}
Tensor joined(const Tensor& x) {
  Ints order;
  for (int64_t d = 0; d < x.rank() - 3; ++d) order.push_back(d);
  for (const int64_t d : {x.rank() - 2, x.rank() - 3, x.rank() - 1}) order.push_back(d);
  const Tensor rows = permute_dims(x, order);
  Shape shape(rows.shape().first(static_cast<size_t>(rows.rank() - 1)));
  shape.back() = x.dim(-3) * x.dim(-1);
  return reshape(rows, shape);
}

Tensors composed(const HeadsAttrs& at, TensorSpan in) {
  const InferCtx cx{"multi_head_attention"};
  for (size_t i = 0; i < 3; ++i) {
    cx.require(in[i].rank() >= 2, "rank", "q, k and v have shapes ", in[0].shape(), ", ",
               in[1].shape(), " and ", in[2].shape(), "; they must be [.., rows, features]");
    const Dim features = in[i].dim(-1);
    cx.require(at.num_heads >= 1 && decide_same(floor_div(features, at.num_heads) * at.num_heads,
                                                features) != Tri::kNo,
               "heads", "input ", i, " has ", features, " features, which do not divide into ",
               at.num_heads, " heads; their number must be a multiple");
  }
  Tensors parts;
  for (size_t i = 0; i < in.size(); ++i) {
    parts.push_back(i < 3 ? parted(in[i], at.num_heads) : in[i]);
  }
  const AttentionAttrs of_heads{at.is_causal, at.scale, false, at.dropout_p};
  return {joined(compose(kScaledDotProductAttention, parts, of_heads, Where{}))};
}

}  // namespace

constinit const CompositeDef kMultiHeadAttention{
    .name = "multi_head_attention",
    .module = "nn",
    .doc =
        "scaled_dot_product_attention by `num_heads` heads, which are equal parts of the last axis "
        "of `q`, `k` and `v` [.., rows, features]; their results lie side by side again. What "
        "projects inputs before and results behind is nn.linear. The mask broadcasts to [.., "
        "heads, queries, keys].",
    .inputs = {"q: floating", "k: like q", "v: like q", "mask?: ordered", "key?: key"},
    .outputs = {"out: like q"},
    .attrs = attrs_type<HeadsAttrs>(),
    .laws = {Law{"rank", "q, k and v have rows and features"},
             Law{"heads", "features divide into `num_heads` heads"},
             Law{"key", "dropout draws from a key"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"torch", "nn.functional.multi_head_attention_forward"},
                 Alias{"tf", "keras.layers.MultiHeadAttention"},
                 Alias{"flax", "linen.MultiHeadDotProductAttention"}},
};

namespace nn {

Tensor multi_head_attention(const Tensor& q, const Tensor& k, const Tensor& v, int64_t num_heads,
                            const Tensor& mask, bool is_causal, Where where) {
  return compose(kMultiHeadAttention, inputs(q, k, v, mask),
                 HeadsAttrs{num_heads, is_causal, {}, 0}, where);
}

}  // namespace nn
}  // namespace weft
