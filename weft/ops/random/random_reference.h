// References of random ops: Philox on numbers, then the stated arithmetic in long double.
#pragma once

#include <cmath>

#include "tests/op_suite/samples.h"
#include "weft/ops/random/philox.h"

namespace weft::suite {

using weft::Dim;
using weft::DType;
using weft::Index;
using weft::IndexItem;
using weft::Ints;
using weft::Kind;
using weft::normalized;
using weft::ScalarValue;
using weft::Shape;
using weft::text;

using Words = weft::random::Block<uint32_t>;

inline Array shaped(DType dtype, const Shape& shape) {
  Array out{dtype, {}, {}};
  for (Dim dim : shape) out.shape.push_back(dim.value());
  out.values.resize(static_cast<size_t>(count(out.shape)));
  return out;
}

inline Words words_at(uint32_t key0, uint32_t key1, size_t position) {
  return weft::random::philox(key0, key1, position, weft::random::Stream::kDraw);
}
inline uint64_t wide(const Words& w) { return uint64_t{w.words[0]} << 32 | w.words[1]; }

// In [0, 1): the leading bits that the dtype holds.
inline long double unit_draw(const Words& w, DType dtype) {
  if (dtype == DType::kF64) {
    const uint64_t bits = uint64_t{w.words[0] >> 5} << 26 | w.words[1] >> 6;
    return std::ldexp(static_cast<long double>(bits), -53);
  }
  const int bits = dtype == DType::kF16 ? 11 : dtype == DType::kBF16 ? 8 : 24;
  return std::ldexp(static_cast<long double>(w.words[0] >> (32 - bits)), -bits);
}

// The normal quantile by bisection of erfc: slow, and independent of the op's formulas.
inline long double normal_draw(const Words& w) {
  const uint64_t bits = wide(w);
  const long double tail =
      std::ldexp(static_cast<long double>(bits & ~(uint64_t{1} << 63)) + 0.5L, -64);
  long double low = 0, high = 12;
  for (int i = 0; i < 100; ++i) {
    const long double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0L)) / 2 > tail ? low : high) = middle;
  }
  return bits >> 63 ? -low : low;
}

}  // namespace weft::suite
