// histogram: how many elements fall into each of some bins.
#include "weft/ops/sort/histogram.h"

#include "weft/op/apply.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/math/operators.h"
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

// x[i] of a vector.
Tensor select(const Tensor& x, int64_t i) { return take(x, Tensor::scalar(DType::kI64, i), 0); }

// The ends of equal bins, [low, high]: of `range`, or of x. Ends without a distance are half a
// number further out on both sides.
Tensor ends_of(const InferCtx& cx, const Tensor& x, const Tensor& range) {
  if (!range.defined() && x.dim(0) == Dim(0)) return cast(arange(2), x.dtype());
  Tensor ends = range;
  if (range.defined()) {
    cx.require(same(range.shape(), Shape{2}) != Tri::kNo, "range", "range has shape ",
               range.shape(), "; it has two numbers");
    ends = cast(range, x.dtype());
    if (ends.is_concrete()) {
      const double low = scalar_value(cx.op, "range", select(ends, 0));
      const double high = scalar_value(cx.op, "range", select(ends, 1));
      cx.require(__builtin_isfinite(low) && __builtin_isfinite(high) && low <= high, "range",
                 "range goes from ", low, " to ", high, "; it must be finite and ascend");
    }
  } else {
    ends = stack(inputs(min(x), max(x)), 0);
  }
  const Tensor apart = cast(arange(2), x.dtype()) - 0.5;
  return where(equal(select(ends, 0), select(ends, 1)), ends + apart, ends);
}

// The edges of the bins: as they are given, or of equal ones between the ends.
Tensor edges_of(const InferCtx& cx, int64_t bins, const Tensor& x, const Tensor& edges,
                const Tensor& range) {
  if (edges.defined()) {
    cx.require(edges.rank() == 1 && edges.dim(0).is_known() && edges.dim(0).value() >= 2, "edges",
               "edges have shape ", edges.shape(),
               "; they have one axis with at least two of them");
    return cast(edges, x.dtype());
  }
  constexpr int64_t kMostBins = 1 << 30;
  cx.require(1 <= bins && bins <= kMostBins, "bins", "bins is ", bins,
             "; it must be between 1 and ", kMostBins);
  const Tensor ends = ends_of(cx, x, range), low = select(ends, 0), high = select(ends, 1);
  // In proportion between the ends, of which the second is met, too.
  const Tensor part = cast(arange(bins + 1), x.dtype()) / scalar_like(x, static_cast<double>(bins));
  return where(equal(part, 1.0), high, low + (high - low) * part);
}

// The bin of each element, or one behind the last for what is in none: [edge, next edge), and the
// last bin has its end.
Tensor bin_of_each(const Tensor& x, const Tensor& edges, int64_t n) {
  const Tensor last = select(edges, n);
  const Tensor found = searchsorted(edges, x, /*right=*/true) - 1;
  const Tensor bin = where(equal(x, last), n - 1, found);
  return where(logical_or(less(bin, 0), greater_equal(bin, n)), n, bin);
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
  const Tensor edges = edges_of(cx, at.bins, x, given(in, 3), given(in, 1));
  const int64_t n = edges.dim(0).value() - 1;
  Tensor terms = broadcast_to(Tensor::scalar(DType::kI64, 1), Shape{size});
  if (weight.defined()) {
    cx.require(same(weight.shape(), in[0].shape()) != Tri::kNo, "weights", "weights have shape ",
               weight.shape(), " but x has shape ", in[0].shape(), "; they must be equal");
    terms = reshape(weight, Shape{size});
  }
  IndexItem all_but_last;
  all_but_last.stop = -1;
  const Tensor counts =
      slice(segment_sum(terms, bin_of_each(x, edges, n), n + 1), Index{all_but_last});
  if (!at.density) return {counts, edges};
  const Tensor widths = diff(edges);
  const Tensor shares =
      is_floating(counts.dtype()) || is_complex(counts.dtype()) ? counts : cast(counts, x.dtype());
  return {shares / sum(shares) / cast(widths, shares.dtype()), edges};
}

}  // namespace

constinit const CompositeDef kHistogram{
    .name = "histogram",
    .doc =
        "How many elements of `x` are in each bin, as int64 (or the sum of their `weights`), and "
        "the edges of the bins: ascending `edges`, or those of `bins` equal bins between the two "
        "numbers of `range`, which are the least and the greatest element if left out. A bin has "
        "its first edge and not its second, but the last "
        "has both; what is outside, and NaN, is not counted. Edges are in the dtype of `x`, at "
        "least float32; of integers and bools float64. With `density`, counts are divided by "
        "their sum and by the width of each bin.",
    .inputs = {"x: ordered", "range?: real", "weights?: numeric", "edges?: real"},
    .outputs = {"counts: numeric", "edges: floating"},
    .attrs = attrs_type<HistogramAttrs>(),
    .laws = {Law{"bins", "there is at least one bin"}, Law{"edges", "there are two edges or more"},
             Law{"range", "a range has two finite numbers that ascend"},
             Law{"weights", "one weight for each element"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"numpy", "histogram"}, Alias{"torch", "histogram: its counts are floats"},
                 Alias{"jax", "numpy.histogram: its counts are floats"}},
};

Histogram histogram(const Tensor& x, int64_t bins, Where where) {
  const HistogramAttrs attrs{bins, false};
  const Tensors out = compose_all(kHistogram, inputs(x), &attrs, where);
  return {out[0], out[1]};
}

}  // namespace weft
