// Samples of histogram.
#include <algorithm>
#include <cmath>

#include "tests/op_suite/samples.h"

using namespace weft::suite;

namespace {

long double number(const Array& x, size_t i) {
  return weft::is_floating(x.dtype) ? x.values[i].re : static_cast<long double>(x.values[i].i);
}

bool has(const Arrays& in, size_t i) { return i < in.size(); }

std::vector<long double> edges_of(const Attrs& at, const Arrays& in) {
  std::vector<long double> out;
  for (size_t i = 0; has(in, 3) && i < in[3].values.size(); ++i) out.push_back(number(in[3], i));
  if (!out.empty()) return out;
  long double low = 0, high = 1;
  if (has(in, 1)) {
    low = number(in[1], 0), high = number(in[1], 1);
  } else if (!in[0].values.empty()) {
    low = high = number(in[0], 0);
    for (size_t i = 1; i < in[0].values.size(); ++i) {
      low = std::min(low, number(in[0], i)), high = std::max(high, number(in[0], i));
    }
  }
  if (low == high) low -= 0.5L, high += 0.5L;
  const auto n = static_cast<long double>(at.get<int64_t>("bins"));
  for (long double i = 0; i <= n; ++i) out.push_back(low + (high - low) * i / n);
  return out;
}

// The weight of an element where there are weights, else 1.
ScalarValue weight_of(const Arrays& in, size_t i) {
  if (!has(in, 2)) return {1, 0, 1};
  return in[2].values[i];
}

Arrays reference(const Attrs& at, const Arrays& in) {
  const std::vector<long double> edges = edges_of(at, in);
  const size_t n = edges.size() - 1;
  const DType dtype = weft::is_floating(in[0].dtype) ? weft::compute_of(in[0].dtype) : DType::kF64;
  const bool is_counted = !has(in, 2) || in[2].dtype == DType::kBool;
  Array counts{is_counted ? DType::kI64 : in[2].dtype, {static_cast<int64_t>(n)}, {}};
  counts.values.resize(n);
  for (size_t i = 0; i < in[0].values.size(); ++i) {
    const long double x = number(in[0], i);
    const ScalarValue weight = weight_of(in, i);
    for (size_t b = 0; b < n; ++b) {
      const bool is_inside = edges[b] <= x && (x < edges[b + 1] || (b + 1 == n && x == edges[n]));
      if (!is_inside) continue;
      counts.values[b].re += weight.re, counts.values[b].im += weight.im;
      counts.values[b].i += weight.i;
    }
  }
  if (at.get<bool>("density")) {
    if (is_counted) counts.dtype = dtype;
    long double total = 0;
    for (const ScalarValue& v : counts.values) total += v.re;
    for (size_t b = 0; b < n; ++b) counts.values[b].re /= total * (edges[b + 1] - edges[b]);
  }
  Array out{dtype, {static_cast<int64_t>(n + 1)}, {}};
  for (const long double edge : edges) out.values.push_back({edge, 0, 0});
  return {counts, out};
}

}  // namespace

WEFT_OP_TEST(histogram) {
  t.skip("symbolic", "how many bins there are must be known");
  t.skip("special", "there are no bins between infinities");
  t.skip("zero", "there are no bins between infinities");
  t.varies(1, Vary::kScaled);  // other ranges and edges might not ascend
  t.varies(3, Vary::kScaled);
  const Arg range = exactly({2}, {-1.5, 1}, DType::kF32);
  const Arg x = exactly({6}, {0.5, -1.25, 0.75, 0.125, 0.3, 0.25}), weights = in({6}, 0.5, 2);
  t.sample({exactly({2, 4}, {0.5, -1.7, 1.3, 0.1, 2, -2, 0.6, 0.2})});
  t.sample({exactly({7}, {0, 1, 2.5, 3, 4, 2.25, 0.5})}, "bins=4");
  t.sample({exactly({6}, {0.5, -1.75, 1.25, 0.125, 1, -1.5}), range}, "bins=4");
  t.sample({x, range, weights, exactly({4}, {-1, 0, 0.625, 3}, DType::kF32)});
  t.kink({exactly({4}, {-3e38, 0, 3e38, 0.5e38}, DType::kF32)}, "bins=6",
         "the distance of the ends is beyond float32");
  t.kink({exactly({3}, {-1.5e308, 0, 1.5e308}, DType::kF64)}, "bins=3",
         "the distance of the ends is beyond float64");
  t.kink({x, range, weights, exactly({4}, {-2, 0.25, 0.25, INFINITY}, DType::kF32)}, "",
         "an element is at an edge");
  t.kink({exactly({3}, {2, 2, 2})}, "bins=4", "all elements are the least and the greatest");
  t.sample({in({0})}, "bins=4");
  t.kink({exactly({4}, {NAN, 1, INFINITY, 0}, DType::kF32), range}, "bins=4", "NaN is in no bin");
  t.sample({x, range}, "bins=4, density=true");
  t.sample({x, range, weights}, "bins=4");
  t.large({in({300, 31}), range}, "bins=37");
  t.reference(reference);
  t.error("bins", {in({3})}, "bins=0",
          "histogram: bins is 0; it must be between 1 and 1073741824 [histogram.bins]");
  t.error("edges", {in({3}), range, in({3}), exactly({1}, {0}, DType::kF32)}, "",
          "histogram: edges have shape [1]; they have one axis with at least two of them "
          "[histogram.edges]");
  t.error("edges", {in({3}), range, in({3}), exactly({4}, {0, 1, 0.5, 2}, DType::kF32)}, "",
          "histogram: edge 2 is 0.5 and the one before it 1.0; edges must ascend "
          "[histogram.edges]");
  t.error("edges", {in({3}), range, in({3}), exactly({3}, {0, 1, NAN}, DType::kF32)}, "",
          "histogram: edge 2 is nan and the one before it 1.0; edges must ascend "
          "[histogram.edges]");
  t.error("range", {exactly({3}, {0, INFINITY, 1}, DType::kF32)}, "",
          "histogram: x goes from 0.0 to inf; without a range its elements must be finite "
          "[histogram.range]");
  t.error("range", {exactly({3}, {0, NAN, 1}, DType::kF32)}, "",
          "histogram: x goes from nan to nan; without a range its elements must be finite "
          "[histogram.range]");
  t.error("range", {in({3}), exactly({2}, {1, 0}, DType::kF32)}, "",
          "histogram: range goes from 1.0 to 0.0; it must be finite and ascend [histogram.range]");
  t.error("range", {in({3}), exactly({3}, {1, 2, 3}, DType::kF32)}, "",
          "histogram: range has shape [3]; it has two numbers [histogram.range]");
  t.error("weights", {in({3}), range, in({2})}, "",
          "histogram: weights have shape [2] but x has shape [3]; they must be equal "
          "[histogram.weights]");
  t.error("dtype", {typed(in({2}), DType::kC64)}, "",
          "histogram: x has dtype complex64, but must be ordered; cast it first "
          "[histogram.dtype]");
}
