// Samples of flash_attention and its parts.
#include <cmath>

#include "weft/ops/attention/attention_reference.h"

using namespace weft::suite;

namespace {

long double scale_of(const Attrs& attrs, const Array& q) {
  const auto& scale = attrs.get<std::optional<double>>("scale");
  return scale ? *scale : 1 / std::sqrt(static_cast<long double>(q.shape.back()));
}

Arrays reference(const Attrs& attrs, const Arrays& in) {
  return attended({in[0], in[1], in[2], in.size() > 3 ? &in[3] : nullptr, attrs.get<bool>("causal"),
                   scale_of(attrs, in[0])});
}

Arrays vjp_reference(const Attrs& attrs, const Arrays& in) {
  const Array &q = in[0], &k = in[1], &v = in[2], &g = in[3], &stats = in[4];
  const long double scale = scale_of(attrs, q);
  const Attention attention{q,    k, v, in.size() > 5 ? &in[5] : nullptr, attrs.get<bool>("causal"),
                            scale};
  Array dq = like(q, q.shape), dk = like(k, k.shape), dv = like(v, v.shape);
  const auto place = [](Array& x, const std::vector<int64_t>& i) -> long double& {
    return x.values[static_cast<size_t>(ravel(i, x.shape))].re;
  };
  std::vector<int64_t> rows = q.shape;
  rows.back() = 1;
  for (int64_t r = 0; r < count(rows); ++r) {
    const std::vector<int64_t> i = unravel(r, rows);
    const auto weights = attention.weights(i, at(stats, {i[0], i[1], i[2], i[3], 0}));
    for (int64_t key = 0; key < attention.keys; ++key) {
      const long double p = weights[static_cast<size_t>(key)];
      long double e = -at(stats, {i[0], i[1], i[2], i[3], 1});
      for (int64_t f = 0; f < v.shape[3]; ++f) {
        const long double gf = at(g, {i[0], i[1], i[2], i[3], f});
        e += gf * at(v, {i[0], i[1], key, f});
        place(dv, {i[0], i[1], key, f}) += p * gf;
      }
      for (int64_t f = 0; f < q.shape[4]; ++f) {
        place(dq, {i[0], i[1], i[2], i[3], f}) += scale * p * e * at(k, {i[0], i[1], key, f});
        place(dk, {i[0], i[1], key, f}) += scale * p * e * at(q, {i[0], i[1], i[2], i[3], f});
      }
    }
  }
  return {dq, dk, dv};
}

}  // namespace

WEFT_OP_TEST(nn__flash_attention) {
  t.skip("special", "which scores of infinities and NaN are NaN is left to the online softmax");
  t.skip("zero", "0 * inf in a sum of products is NaN, in the gradient as in the product");
  t.sums_batches_elsewhere("keys that a batch shares have their gradients summed by it");
  t.sample({in({1, 2, 1, 3, 2}), in({1, 2, 4, 2}), in({1, 2, 4, 3})});
  t.sample({in({2, 1, 2, 3, 2}), in({2, 1, 3, 2}), in({2, 1, 3, 2})}, "causal=true");
  t.sample({in({1, 2, 2, 2, 2}), in({1, 2, 3, 2}), in({1, 2, 3, 2}), in({1, 1, 2, 2, 3})});
  t.sample({in({1, 1, 1, 3, 2}), in({1, 1, 3, 2}), in({1, 1, 3, 2}), in({1, 1, 1, 1, 3})},
           "causal=true");
  t.sample({in({1, 1, 2, 3, 2}), in({1, 1, 4, 2}), in({1, 1, 4, 2})}, "scale=0.5");
  t.sample({in({1, 1, 1, 3, 2}), in({1, 1, 3, 2}), in({1, 1, 3, 2})}, "causal=true, scale=-0.5");
  t.sample({in({1, 1, 1, 3, 2}), in({1, 1, 3, 2}), in({1, 1, 3, 2})}, "scale=none");
  t.large({in({1, 2, 1, 300, 8}), in({1, 2, 700, 8}), in({1, 2, 700, 8})});
  t.large({in({1, 1, 2, 600, 8}), in({1, 1, 600, 8}), in({1, 1, 600, 8})},
          "causal=true, scale=0.25");
  t.reference(reference);
  t.tolerance(8, "scores of up to 8 in f16 and bf16 inputs, rounded once at the end");
  t.error("rank", {in({2, 3}), in({2, 3}), in({2, 3})}, "",
          "flash_attention: q, k and v have shapes [2, 3], [2, 3] and [2, 3]; they must have 5, 4 "
          "and 4 axes [flash_attention.rank]");
  t.error("shape", {in({1, 1, 1, 3, 2}), in({1, 1, 4, 3}), in({1, 1, 4, 2})}, "",
          "flash_attention: q, k and v have shapes [1, 1, 1, 3, 2], [1, 1, 4, 3] and [1, 1, 4, "
          "2]; they must be [batch, heads, groups, queries, features], [batch, heads, keys, "
          "features] and [batch, heads, keys, ..] [flash_attention.shape]");
  t.error("mask", {in({1, 1, 1, 3, 2}), in({1, 1, 4, 2}), in({1, 1, 4, 2}), in({3, 4})}, "",
          "flash_attention: the mask has shape [3, 4], which has not 5 axes that broadcast to [1, "
          "1, 1, 3, 4] [flash_attention.mask]");
}

WEFT_OP_TEST(nn__flash_attention__vjp) {
  t.skip("special", "which scores of infinities and NaN are NaN is left to the online softmax");
  t.skip("zero", "0 * inf in a sum of products is NaN, in the gradient as in the product");
  t.sums_batches_elsewhere("keys that a batch shares have their gradients summed by it");
  t.sample({in({1, 2, 1, 3, 2}, -1, 1), in({1, 2, 4, 2}, -1, 1), in({1, 2, 4, 3}, -1, 1),
            in({1, 2, 1, 3, 3}, -1, 1), in({1, 2, 1, 3, 2}, 0.5, 2)});
  t.sample({in({1, 1, 2, 3, 2}, -1, 1), in({1, 1, 3, 2}, -1, 1), in({1, 1, 3, 2}, -1, 1),
            in({1, 1, 2, 3, 2}, -1, 1), in({1, 1, 2, 3, 2}, 0.5, 2)},
           "causal=true");
  t.sample({in({1, 1, 2, 2, 2}, -1, 1), in({1, 1, 3, 2}, -1, 1), in({1, 1, 3, 2}, -1, 1),
            in({1, 1, 2, 2, 2}, -1, 1), in({1, 1, 2, 2, 2}, 0.5, 2), in({1, 1, 1, 2, 3}, -1, 1)},
           "scale=0.5");
  t.sample({in({1, 1, 1, 3, 2}, -1, 1), in({1, 1, 3, 2}, -1, 1), in({1, 1, 3, 2}, -1, 1),
            in({1, 1, 1, 3, 2}, -1, 1), in({1, 1, 1, 3, 2}, 0.5, 2)},
           "causal=true, scale=-0.5");
  t.large({in({1, 2, 1, 200, 8}, -1, 1), in({1, 2, 300, 8}, -1, 1), in({1, 2, 300, 8}, -1, 1),
           in({1, 2, 1, 200, 8}, -1, 1), in({1, 2, 1, 200, 2}, 5, 6)});
  t.reference(vjp_reference);
  t.tolerance(8, "sums of up to 6 products, rounded once at the end");
  t.error("rank", {in({2, 3}), in({2, 3}), in({2, 3}), in({2, 3}), in({2, 2})}, "",
          "flash_attention.vjp: q, k and v have shapes [2, 3], [2, 3] and [2, 3]; they must have "
          "5, 4 and 4 axes [flash_attention.vjp.rank]");
  t.error("shape",
          {in({1, 1, 1, 3, 2}), in({1, 1, 4, 2}), in({1, 1, 4, 2}), in({1, 1, 1, 3, 2}),
           in({1, 1, 1, 3, 1})},
          "",
          "flash_attention.vjp: g and stats have shapes [1, 1, 1, 3, 2] and [1, 1, 1, 3, 1]; they "
          "must be [1, 1, 1, 3, 2] and [1, 1, 1, 3, 2] [flash_attention.vjp.shape]");
  t.error("mask",
          {in({1, 1, 1, 3, 2}), in({1, 1, 4, 2}), in({1, 1, 4, 2}), in({1, 1, 1, 3, 2}),
           in({1, 1, 1, 3, 2}), in({3, 4})},
          "",
          "flash_attention.vjp: the mask has shape [3, 4], which has not 5 axes that broadcast to "
          "[1, 1, 1, 3, 4] [flash_attention.vjp.mask]");
}
