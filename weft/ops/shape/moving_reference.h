// References of ops that move elements: each result's element is read from a place of an input.
#pragma once

#include <algorithm>

#include "tests/op_suite/samples.h"

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

using Places = std::vector<int64_t>;

// out[p] = x[from(p)].
template <class From>
Array moved_from(const Array& x, const Places& shape, From from) {
  Array out = like(x, shape);
  for (size_t i = 0; i < out.values.size(); ++i) {
    const Places place = from(unravel(static_cast<int64_t>(i), shape));
    out.values[i] = x.values[static_cast<size_t>(ravel(place, x.shape))];
  }
  return out;
}

// The same values under another shape.
inline Array reshaped(const Array& x, const Places& shape) { return {x.dtype, shape, x.values}; }

inline Places places_of(const Shape& shape) {
  Places out;
  for (Dim dim : shape) out.push_back(dim.value());
  return out;
}

inline size_t axis_of(const Array& x, int64_t axis) {
  return static_cast<size_t>(normalized(axis, static_cast<int64_t>(x.shape.size())));
}

// An index counted from 0.
inline int64_t place_of(const ScalarValue& index, int64_t size) {
  return normalized(index.i, size);
}

}  // namespace weft::suite
