// Samples of scaled_dot_product_attention and multi_head_attention.
#include "weft/ops/attention/attention_reference.h"
#include "weft/ops/random/random_reference.h"

using namespace weft::suite;

namespace {

// x with axes of size 1 in front.
Array ranked(Array x, size_t rank) {
  while (x.shape.size() < rank) x.shape.insert(x.shape.begin(), 1);
  return x;
}

// [.., heads, rows, columns] of at most 4 axes as [batch, heads, groups, rows, columns].
Array grouped(Array x, int64_t groups) {
  x = ranked(x, 4);
  const int64_t heads = x.shape[1];
  x.shape = {x.shape[0], heads == 1 ? 1 : heads / groups, heads == 1 ? 1 : groups, x.shape[2],
             x.shape[3]};
  return x;
}

Arrays reference(const Attrs& attrs, const Arrays& in) {
  const Array k = ranked(in[1], 4), v = ranked(in[2], 4);
  const int64_t groups = ranked(in[0], 4).shape[1] / k.shape[1];
  Array q = grouped(in[0], groups);
  if (groups > 1) q.shape[2] = groups;
  const auto& scale = attrs.get<std::optional<double>>("scale");
  const long double by =
      scale ? *scale : 1 / std::sqrt(static_cast<long double>(in[0].shape.back()));
  for (ScalarValue& value : q.values) value.re *= by;
  Array mask;
  if (in.size() > 3) {
    mask = grouped(in[3], groups);
    if (in[3].dtype == DType::kBool) {
      for (ScalarValue& value : mask.values) value.re = value.i ? 0 : -INFINITY;
    }
  }
  const bool causal = attrs.get<bool>("is_causal");
  Array out = attended({q, k, v, in.size() > 3 ? &mask : nullptr, causal})[0];
  for (ScalarValue& value : out.values) value.re = std::isnan(value.re) ? 0 : value.re;
  out.shape = in[0].shape;
  out.shape.back() = in[2].shape.back();
  return {out};
}

// [rows, heads * features] as [heads, rows, features].
Array parted(const Array& x, int64_t heads) {
  const int64_t rows = x.shape[0], features = x.shape[1] / heads;
  Array out = like(x, {heads, rows, features});
  for (size_t i = 0; i < out.values.size(); ++i) {
    const auto p = unravel(static_cast<int64_t>(i), out.shape);
    out.values[i] = x.values[static_cast<size_t>(ravel({p[1], p[0] * features + p[2]}, x.shape))];
  }
  return out;
}

Arrays heads_reference(const Attrs& attrs, const Arrays& in) {
  const auto heads = attrs.get<int64_t>("num_heads");
  Array q = grouped(parted(in[0], heads), 1);
  const Array k = ranked(parted(in[1], heads), 4), v = ranked(parted(in[2], heads), 4);
  const auto& scale = attrs.get<std::optional<double>>("scale");
  const long double by = scale ? *scale : 1 / std::sqrt(static_cast<long double>(k.shape[3]));
  for (ScalarValue& value : q.values) value.re *= by;
  const Array out = attended({q, k, v, nullptr, attrs.get<bool>("is_causal")})[0];
  const int64_t rows = in[0].shape[0], features = v.shape[3];
  Array joined = like(in[0], {rows, heads * features});
  for (size_t i = 0; i < joined.values.size(); ++i) {
    const auto p = unravel(static_cast<int64_t>(i), joined.shape);
    joined.values[i] = out.values[static_cast<size_t>(
        ravel({0, p[1] / features, 0, p[0], p[1] % features}, out.shape))];
  }
  return {joined};
}

}  // namespace

WEFT_OP_TEST(nn__scaled_dot_product_attention) {
  t.skip("special", "which scores of infinities and NaN are NaN is left to the online softmax");
  t.skip("zero", "0 * inf in a sum of products is NaN, in the gradient as in the product");
  t.sums_batches_elsewhere("keys that a batch shares have their gradients summed by it");
  t.sample({in({1, 2, 3, 2}), in({1, 2, 4, 2}), in({1, 2, 4, 3})});
  t.sample({in({3, 2}), in({3, 2}), in({3, 2})}, "is_causal=true");
  t.sample({in({2, 3, 2}), in({2, 3, 2}), in({2, 3, 2}),
            exactly({3, 3}, {1, 0, 1, 0, 0, 0, 1, 1, 1}, DType::kBool)},
           "scale=0.5");
  t.sample({in({2, 2, 2, 2}), in({2, 2, 3, 2}), in({2, 2, 3, 2}), in({2, 1, 2, 3})});
  t.sample({in({1, 4, 2, 2}), in({1, 2, 3, 2}), in({1, 2, 3, 2})}, "enable_gqa=true");
  t.sample({in({1, 4, 3, 2}), in({1, 2, 3, 2}), in({1, 2, 3, 2}), in({1, 4, 3, 3})},
           "enable_gqa=true, is_causal=true");
  t.large({in({2, 2, 200, 8}), in({2, 2, 300, 8}), in({2, 2, 300, 8})});
  t.reference(reference);
  t.tolerance(8, "scores of up to 8 in f16 and bf16 inputs, rounded once at the end");
  t.error("rank", {in({2}), in({2}), in({2})}, "",
          "scaled_dot_product_attention: q, k and v have shapes [2], [2] and [2]; they must have "
          "as many axes, 2 at least [scaled_dot_product_attention.rank]");
  t.error("shape", {in({4, 3, 2}), in({2, 3, 2}), in({2, 3, 2})}, "",
          "scaled_dot_product_attention: q, k and v have shapes [4, 3, 2], [2, 3, 2] and [2, 3, "
          "2]; they must be [.., heads, queries, features], [.., heads, keys, features] and [.., "
          "heads, keys, ..], where q may have a multiple of the heads with enable_gqa "
          "[scaled_dot_product_attention.shape]");
  t.error("mask", {in({3, 2}), in({3, 2}), in({3, 2}), in({2, 3, 3})}, "",
          "scaled_dot_product_attention: the mask has shape [2, 3, 3], which does not broadcast to "
          "[3, 3] [scaled_dot_product_attention.mask]");
  t.error("mask", {in({2, 2}), in({2, 2}), in({2, 2}), indices({2, 2}, {1, 0, 1, 1})}, "",
          "scaled_dot_product_attention: the mask has dtype int64; it must be bool (false hides a "
          "key) or floating (added to the scores) [scaled_dot_product_attention.mask]");
  t.error("key", {in({3, 2}), in({3, 2}), in({3, 2})}, "dropout_p=0.5",
          "scaled_dot_product_attention: dropout_p is 0.5 without a key; give one, "
          "random.Key(seed) [scaled_dot_product_attention.key]");
}

WEFT_OP_TEST(nn__multi_head_attention) {
  t.skip("special", "which scores of infinities and NaN are NaN is left to the online softmax");
  t.skip("zero", "0 * inf in a sum of products is NaN, in the gradient as in the product");
  t.sums_batches_elsewhere("keys that a batch shares have their gradients summed by it");
  t.sample({in({3, 4}), in({2, 4}), in({2, 4})}, "num_heads=2");
  t.sample({in({3, 6}), in({3, 6}), in({3, 6})}, "num_heads=3, is_causal=true, scale=0.5");
  t.large({in({200, 16}), in({300, 16}), in({300, 16})}, "num_heads=4");
  t.reference(heads_reference);
  t.tolerance(8, "scores of up to 8 in f16 and bf16 inputs, rounded once at the end");
  t.error("rank", {in({4}), in({4}), in({4})}, "num_heads=2",
          "multi_head_attention: q, k and v have shapes [4], [4] and [4]; they must be [.., rows, "
          "features] [multi_head_attention.rank]");
  t.error("heads", {in({3, 4}), in({2, 4}), in({2, 4})}, "num_heads=3",
          "multi_head_attention: input 0 has 4 features, which do not divide into 3 heads; their "
          "number must be a multiple [multi_head_attention.heads]");
  t.error("key", {in({3, 4}), in({2, 4}), in({2, 4})}, "num_heads=2, dropout_p=0.5",
          "multi_head_attention: dropout_p is 0.5 without a key; give one, random.Key(seed) "
          "[multi_head_attention.key]");
}
