// Attention in long double, by its definition: the reference of the tests.
#pragma once

#include <cmath>

#include "tests/op_suite/samples.h"

namespace weft::suite {

// x [a, b, c, rows, columns] at an index, broadcast along axes of size 1.
inline long double at(const Array& x, std::vector<int64_t> index) {
  for (size_t d = 0; d < index.size(); ++d) index[d] = x.shape[d] == 1 ? 0 : index[d];
  return x.values[static_cast<size_t>(ravel(index, x.shape))].re;
}

// Queries [batch, heads, groups, queries, features], keys and values [batch, heads, keys, ..].
struct Attention {
  const Array &q, &k, &v;
  const Array* mask;
  bool causal;
  long double scale = 1;
  int64_t keys = k.shape[2];

  long double score(const std::vector<int64_t>& i, int64_t key) const {
    if (causal && key > i[3]) return -INFINITY;
    long double out = mask ? at(*mask, {i[0], i[1], i[2], i[3], key}) : 0;
    for (int64_t f = 0; f < q.shape[4]; ++f) {
      out += scale * at(q, {i[0], i[1], i[2], i[3], f}) * at(k, {i[0], i[1], key, f});
    }
    return out;
  }
  long double lse(const std::vector<int64_t>& i) const {
    long double total = 0;
    for (int64_t key = 0; key < keys; ++key) total += std::exp(score(i, key));
    return std::log(total);
  }
  std::vector<long double> weights(const std::vector<int64_t>& i, long double from) const {
    std::vector<long double> out;
    for (int64_t key = 0; key < keys; ++key) {
      const long double s = score(i, key);
      out.push_back(std::isinf(s) ? 0 : std::exp(s - from));
    }
    return out;
  }
};

// out and lse.
inline Arrays attended(const Attention& attention) {
  std::vector<int64_t> shape = attention.q.shape;
  shape.back() = attention.v.shape[3];
  Array out = like(attention.q, shape);
  shape.back() = 1;
  Array lse = like(attention.q, shape);
  for (int64_t r = 0; r < count(shape); ++r) {
    std::vector<int64_t> i = unravel(r, shape);
    const long double from = attention.lse(i);
    lse.values[static_cast<size_t>(r)].re = from;
    const std::vector<long double> weights = attention.weights(i, from);
    for (int64_t f = 0; f < out.shape[4]; ++f) {
      i[4] = f;
      long double total = 0;
      for (int64_t key = 0; key < attention.keys; ++key) {
        total += weights[static_cast<size_t>(key)] * at(attention.v, {i[0], i[1], key, f});
      }
      out.values[static_cast<size_t>(ravel(i, out.shape))].re = total;
    }
  }
  return {out, lse};
}

}  // namespace weft::suite
