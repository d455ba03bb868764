// histogram: how many elements fall into each of some bins.
#include "weft/ops/sort/histogram.h"

#include "weft/op/apply.h"
#include "weft/op/decide_shapes.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/check_values.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/ops/sort/sort_ops.h"

namespace weft {
namespace {

struct HistogramAttrs {
  int64_t bins = 10;
  bool density = false;
  static constexpr auto fields = fields_of(
      field("bins", &HistogramAttrs::bins, "how many equal bins, where there are no edges"),
      field("density", &HistogramAttrs::density, "divide by the sum and by the width of each bin"));
};

// An input that may be left out.
Tensor given(TensorSpan in, size_t i) { return i < in.size() ? in[i] : Tensor(); }

// x[i] and x[start:stop] of a vector.
Tensor select(const Tensor& x, int64_t i) { return take(x, Tensor::scalar(DType::kI64, i), 0); }
Tensor part(const Tensor& x, std::optional<int64_t> start, std::optional<int64_t> stop) {
  IndexItem item;
  item.start = start, item.stop = stop;
  return slice(x, Index{item});
}

// Requires that the range of equal bins is finite and ascends, in the dtype of the edges.
// `dtype_and_given`: that dtype, and whether the user gave the range.
void require_ends(const InferCtx& cx, TensorSpan given, const Ints& dtype_and_given) {
  if (given[0].numel() == 0) return;
  const Tensor edges = cast(given[0], static_cast<DType>(dtype_and_given[0]));
  const std::vector<double> ends = cast(edges, DType::kF64).to_vector<double>();
  for (size_t row = 0; row + 1 < ends.size(); row += 2) {
    const double low = ends[row], high = ends[row + 1];
    const bool are_finite = __builtin_isfinite(low) && __builtin_isfinite(high);
    cx.require(are_finite || dtype_and_given[1] != 0, "range", "x goes from ", low, " to ", high,
               "; without a range its elements must be finite");
    cx.require(are_finite && low <= high, "range", "range goes from ", low, " to ", high,
               "; it must be finite and ascend");
  }
}

// The ends of equal bins in float64, [low, high]: of `range`, or of x. Ends without a distance are
// half a number further out on both sides.
Tensor ends_of(const InferCtx& cx, const Tensor& x, const Tensor& range) {
  if (range.defined()) {
    cx.require(decide_same(range.shape(), Shape{2}) != Tri::kNo, "range", "range has shape ",
               range.shape(), "; it has two numbers");
  } else if (x.dim(0) == Dim(0)) {
    return cast(arange(2), DType::kF64);
  }
  const auto ends_of = [](const Tensor& x) {
    const Tensor greatest = max(x);
    return stack(inputs(min(x), greatest), 0);
  };
  const Tensor given = range.defined() ? range : ends_of(x);
  const Tensor ends = cast(checked(kHistogramRange, given, {},
                                   {static_cast<int64_t>(x.dtype()), range.defined() ? 1 : 0}),
                           DType::kF64);
  const Tensor apart = cast(arange(2), DType::kF64) - 0.5;
  const Tensor widened = ends + apart, last = select(ends, 1);
  return where(equal(select(ends, 0), last), widened, ends);
}

// `bins` + 1 numbers in equal steps as linspace has them, bit by bit, but differentiable.
Tensor equal_edges(const Tensor& ends, int64_t bins) {
  const auto last = static_cast<double>(bins);
  const Tensor low = select(ends, 0), high = select(ends, 1), distance = high - low;
  const Tensor low_step = low / last, far_step = high / last - low_step;
  const Tensor near_step = distance / last;
  const Tensor step = where(isfinite(distance), near_step, far_step);
  const Tensor i = cast(arange(bins + 1), DType::kF64), near = i * step + low;
  const Tensor from_end = high - (last - i) * step, is_finite = isfinite(near);
  return where(logical_and(less(i, last), is_finite), near, from_end);
}

// Requires that the edges ascend in the dtype `dtype[0]`; equal edges make an empty bin.
void require_ascending(const InferCtx& cx, TensorSpan given, const Ints& dtype) {
  if (given[0].numel() == 0) return;
  const Tensor edges = cast(given[0], static_cast<DType>(dtype[0]));
  const std::vector<double> all = cast(edges, DType::kF64).to_vector<double>();
  const auto count = static_cast<size_t>(edges.dim(-1).value());
  for (size_t i = 1; i < all.size(); ++i) {
    const size_t place = i % count;                           // in its row
    const bool ascends = place == 0 || all[i - 1] <= all[i];  // NaN does not
    cx.require(ascends, "edges", "edge ", place, " is ", all[i], " and the one before it ",
               all[i - 1], "; edges must ascend");
  }
}

// The edges of the bins: as they are given, or of equal ones between the ends.
Tensor edges_of(const InferCtx& cx, int64_t bins, const Tensor& x, const Tensor& edges,
                const Tensor& range) {
  if (edges.defined()) {
    cx.require(edges.rank() == 1 && edges.dim(0).value() >= 2, "edges", "edges have shape ",
               edges.shape(), "; they have one axis with at least two of them");
    return cast(checked(kHistogramEdges, edges, {}, {static_cast<int64_t>(x.dtype())}), x.dtype());
  }
  constexpr int64_t kMostBins = 1 << 30;
  cx.require(1 <= bins && bins <= kMostBins, "bins", "bins is ", bins,
             "; it must be between 1 and ", kMostBins);
  return cast(equal_edges(ends_of(cx, x, range), bins), x.dtype());
}

// Where each element is counted: bin i at place i + 1, [edge, next edge), and the last bin has its
// end; what is in none at the first place or the last.
Tensor place_of_each(const Tensor& x, const Tensor& edges, int64_t n) {
  const Tensor places = searchsorted(edges, x, /*right=*/true);
  return where(equal(x, select(edges, n)), n, places);
}

Tensors composed(const HistogramAttrs& at, TensorSpan in) {
  const InferCtx cx{"histogram"};
  cx.require_type(!is_complex(in[0].dtype()), "dtype", "x has dtype ", in[0].dtype(),
                  ", but must be ordered; cast it first");
  const Dim size = num_elements(in[0].shape());
  Tensor x = reshape(in[0], Shape{size});
  if (!is_floating(x.dtype())) x = cast(x, DType::kF64);
  x = cast(x, compute_of(x.dtype()));
  const Tensor weight = given(in, 2);
  const Tensor ends = given(in, 3), given_edges = given(in, 1);
  const Tensor edges = edges_of(cx, at.bins, x, ends, given_edges);
  const int64_t n = edges.dim(0).value() - 1;
  Tensor terms = broadcast_to(Tensor::scalar(DType::kI64, 1), Shape{size});
  if (weight.defined()) {
    cx.require(decide_same(weight.shape(), in[0].shape()) != Tri::kNo, "weights",
               "weights have shape ", weight.shape(), " but x has shape ", in[0].shape(),
               "; they must be equal");
    terms = reshape(weight, Shape{size});
  }
  const Tensor counts = part(segment_sum(terms, place_of_each(x, edges, n), n + 2), 1, -1);
  if (!at.density) return {counts, edges};
  const Tensor widths = diff(edges);
  const Tensor shares =
      is_floating(counts.dtype()) || is_complex(counts.dtype()) ? counts : cast(counts, x.dtype());
  const Tensor divisors = cast(widths, shares.dtype());
  return {shares / sum(shares) / divisors, edges};
}

}  // namespace

constinit const ValueCheck kHistogramRange{"histogram", "range", require_ends};
constinit const ValueCheck kHistogramEdges{"histogram", "edges", require_ascending};

constinit const CompositeDef kHistogram{
    .name = "histogram",
    .doc =
        "How many elements of `x` are in each bin, as int64 (or the sum of their `weights`), and "
        "the edges of the bins. There are `bins` equal ones between the two numbers of `range`, "
        "which are the least and the greatest element if left out; their edges are those of "
        "`linspace`. Or ascending edges are given, in Python in place of `bins`. A bin has its "
        "first edge and not its second, but the last has both; what is outside, and NaN, is not "
        "counted. Edges are in the dtype of `x`, at least float32; of integers and bools float64. "
        "With `density`, counts are divided by their sum and by the width of each bin.",
    .inputs = {"x: ordered", "range?: real", "weights?: numeric", "edges?: real"},
    .outputs = {"counts: numeric", "edges: floating"},
    .attrs = attrs_type<HistogramAttrs>(),
    .laws = {Law{"bins", "there is at least one bin"},
             Law{"edges", "there are two edges or more, and they ascend"},
             Law{"range", "a range has two finite numbers that ascend, or `x` is finite"},
             Law{"weights", "one weight for each element"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"numpy", "histogram"}, Alias{"torch", "histogram: its counts are floats"},
                 Alias{"jax", "numpy.histogram: its counts are floats"}},
};

namespace {

Histogram computed(TensorSpan in, const HistogramAttrs& attrs, Where where) {
  const Tensors out = compose_all(kHistogram, in, &attrs, where);
  return {out[0], out[1]};
}

}  // namespace

Histogram histogram(const Tensor& x, int64_t bins, const Tensor& range, const Tensor& weights,
                    bool density, Where where) {
  return computed(inputs(x, range, weights), {bins, density}, where);
}
Histogram histogram(const Tensor& x, const Tensor& edges, const Tensor& weights, bool density,
                    Where where) {
  return computed(inputs(x, Tensor(), weights, edges), {1, density}, where);
}

}  // namespace weft
