// References of sorting: the order of a line, by comparing numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>

#include "weft/ops/reduce/reduce_reference.h"

namespace weft::suite {

// NaN counts as the greatest.
inline bool sorts_before(const ScalarValue& a, const ScalarValue& b, DType dtype) {
  if (dtype == DType::kU64) return static_cast<uint64_t>(a.i) < static_cast<uint64_t>(b.i);
  if (!is_floating(dtype)) return a.i < b.i;
  return a.re < b.re || (std::isnan(b.re) && !std::isnan(a.re));
}

// The indices below `count` sorted; equal ones stay in order. (clang warns of std::stable_sort.)
template <class Before>
std::vector<size_t> stable_order(size_t count, Before before) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t i, size_t j) { return before(i, j) || (!before(j, i) && i < j); });
  return order;
}

inline std::vector<size_t> order_of(const Row& row, DType dtype, bool descending) {
  return stable_order(row.size(), [&](size_t i, size_t j) {
    return descending ? sorts_before(row[j], row[i], dtype) : sorts_before(row[i], row[j], dtype);
  });
}

// The first k of each line's order along `axis`: the elements, or their indices.
inline Array ordered(const Array& x, int64_t axis, int64_t k, bool descending, bool indices) {
  std::vector<int64_t> shape = x.shape;
  shape[static_cast<size_t>(normalized(axis, static_cast<int64_t>(shape.size())))] = k;
  return along_axis(x, axis, shape, indices ? DType::kI64 : x.dtype, [&](const Row& row) {
    Row out;
    for (size_t i : order_of(row, x.dtype, descending)) {
      const auto index = static_cast<int64_t>(i);
      out.push_back(indices ? ScalarValue{static_cast<long double>(i), 0, index} : row[i]);
    }
    return out;
  });
}

inline int64_t length_along(const Array& x, int64_t axis) {
  return x.shape[static_cast<size_t>(normalized(axis, static_cast<int64_t>(x.shape.size())))];
}

}  // namespace weft::suite
