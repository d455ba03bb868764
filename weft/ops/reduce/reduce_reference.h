// References of reductions and scans in long double: what composites are compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

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

using Row = std::vector<ScalarValue>;

// The positions of x that reduce together, for each result in row-major order.
inline std::vector<std::vector<size_t>> reduction_groups(const Array& x,
                                                         const std::vector<int64_t>& axes) {
  std::vector<int64_t> kept = x.shape;
  for (int64_t axis : axes) kept[static_cast<size_t>(axis)] = 1;
  std::vector<std::vector<size_t>> out(static_cast<size_t>(count(kept)));
  for (size_t i = 0; i < x.values.size(); ++i) {
    std::vector<int64_t> index = unravel(static_cast<int64_t>(i), x.shape);
    for (int64_t axis : axes) index[static_cast<size_t>(axis)] = 0;
    out[static_cast<size_t>(ravel(index, kept))].push_back(i);
  }
  return out;
}

// f of the elements of each group, in order.
template <class F>
Arrays reduce_reference(const Attrs& at, const Array& x, DType dtype, F f) {
  const auto& given = at.get<std::optional<Ints>>("axis");
  const auto rank = static_cast<int64_t>(x.shape.size());
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < rank && !given; ++i) axes.push_back(i);
  if (given) {
    for (int64_t axis : *given) axes.push_back(normalized(axis, rank));
  }
  Array out{dtype, {}, {}};
  for (int64_t i = 0; i < rank; ++i) {
    const bool reduced = std::find(axes.begin(), axes.end(), i) != axes.end();
    if (!reduced) out.shape.push_back(x.shape[static_cast<size_t>(i)]);
    if (reduced && at.get<bool>("keepdims")) out.shape.push_back(1);
  }
  for (const std::vector<size_t>& group : reduction_groups(x, axes)) {
    Row row;
    for (size_t i : group) row.push_back(x.values[i]);
    out.values.push_back(f(row));
  }
  return {out};
}

// Visits the lines of x along `axis`: f(values in order) gives the values to put there.
template <class F>
Array along_axis(const Array& x, int64_t axis, std::vector<int64_t> shape, DType dtype, F f) {
  Array out{dtype, shape, {}};
  out.values.resize(static_cast<size_t>(count(shape)));
  const std::vector<int64_t> axes{normalized(axis, static_cast<int64_t>(x.shape.size()))};
  const auto from = reduction_groups(x, axes), to = reduction_groups(out, axes);
  for (size_t g = 0; g < to.size(); ++g) {
    Row row;
    if (g < from.size()) {
      for (size_t i : from[g]) row.push_back(x.values[i]);
    }
    const Row result = f(row);
    for (size_t i = 0; i < to[g].size(); ++i) out.values[to[g][i]] = result[i];
  }
  return out;
}

inline long double mean_of(const Row& row) {
  long double total = 0;
  for (const ScalarValue& v : row) total += v.re;
  return total / static_cast<long double>(row.size());
}
inline long double variance_of(const Row& row, double correction) {
  const long double mean = mean_of(row);
  long double mean_im = 0, total = 0;
  for (const ScalarValue& v : row) mean_im += v.im / static_cast<long double>(row.size());
  for (const ScalarValue& v : row)
    total += (v.re - mean) * (v.re - mean) + (v.im - mean_im) * (v.im - mean_im);
  const long double divisor = static_cast<long double>(row.size()) - correction;
  return divisor > 0 ? total / divisor : std::numeric_limits<long double>::quiet_NaN();
}

// A sum or product with what came before, in the dtype's own arithmetic.
inline ScalarValue plus(const ScalarValue& a, const ScalarValue& b) {
  return {a.re + b.re, a.im + b.im,
          static_cast<int64_t>(static_cast<uint64_t>(a.i) + static_cast<uint64_t>(b.i))};
}
inline ScalarValue times(const ScalarValue& a, const ScalarValue& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re,
          static_cast<int64_t>(static_cast<uint64_t>(a.i) * static_cast<uint64_t>(b.i))};
}

// Real numbers as pairs would make NaN of inf * 0i.
inline ScalarValue real_times(const ScalarValue& a, const ScalarValue& b) {
  return {a.re * b.re, 0, times(a, b).i};
}

// Running totals of a line, `initial` first if asked for.
using Combine = ScalarValue (*)(const ScalarValue&, const ScalarValue&);
inline Row totals(const Row& row, Combine combine, ScalarValue total, bool initial) {
  Row out;
  if (initial) out.push_back(total);
  for (const ScalarValue& v : row) {
    total = combine(total, v);
    out.push_back(total);
  }
  return out;
}

// cumulative_sum and cumulative_prod.
inline Arrays cumulative_reference(const Attrs& at, const Array& x, Combine combine,
                                   const ScalarValue& nothing) {
  const int64_t axis = at.get<std::optional<int64_t>>("axis").value_or(0);
  const bool initial = at.get<bool>("include_initial");
  std::vector<int64_t> shape = x.shape;
  shape[static_cast<size_t>(normalized(axis, static_cast<int64_t>(shape.size())))] += initial;
  return {along_axis(x, axis, shape, accumulate_of(x.dtype),
                     [&](const Row& row) { return totals(row, combine, nothing, initial); })};
}

// The scans below them.
inline Arrays scan_reference(const Attrs& at, const Array& x, Combine combine,
                             const ScalarValue& nothing) {
  return {along_axis(x, at.get<int64_t>("axis"), x.shape, x.dtype,
                     [&](const Row& row) { return totals(row, combine, nothing, false); })};
}

}  // namespace weft::suite
