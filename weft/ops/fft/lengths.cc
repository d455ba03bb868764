// Lengths, factors and axes of Fourier transforms.
#include "weft/ops/fft/lengths.h"

#include <cmath>

#include "weft/ops/creation/creation.h"
#include "weft/ops/fft/fft.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft::fft {
namespace {

// 1, 1 / sqrt(n) or 1 / n.
double scale_of(const InferCtx& cx, const std::string& norm, int64_t n, Direction direction) {
  const bool is_backward = norm == "backward", is_forward = norm == "forward";
  const bool is_known = is_backward || is_forward || norm == "ortho";
  cx.require(is_known, "norm", "norm is '", norm, "'; it must be 'backward', 'ortho' or 'forward'");
  const auto count = static_cast<double>(n);
  if (!is_backward && !is_forward) return 1 / std::sqrt(count);
  return is_backward == (direction == Direction::kInverse) ? 1 / count : 1;
}

Line made(const InferCtx& cx, int64_t axis, int64_t n, const std::string& norm,
          Direction direction) {
  // Before it becomes a Dim, which holds no number far below 0.
  cx.require(n >= 1, "length", "the length of the transform is ", n, "; it must be at least 1");
  return {axis, n, scale_of(cx, norm, n, direction)};
}

}  // namespace

void require_length(const InferCtx& cx, Dim n) {
  cx.require(!n.is_known() || n.value() >= 1, "length", "the length of the transform is ", n,
             "; it must be at least 1");
}

Tensor half_weights(int64_t n, int64_t axis, int64_t rank, DType dtype, Where at) {
  const int64_t half = n / 2 + 1;
  const Tensor places = arange(half, at);
  const Tensor first = equal(places, 0, at), last = equal(multiply(places, 2, at), n, at);
  const Tensor alone = logical_or(first, last, at);
  Shape shape(static_cast<size_t>(rank), 1);
  shape[static_cast<size_t>(normalized(axis, rank))] = half;
  return reshape(subtract(2.0, cast(alone, dtype, at), at), shape, at);
}

Line line_of(const InferCtx& cx, const Tensor& x, const LineAttrs& at, Direction direction,
             std::optional<int64_t> length) {
  const int64_t axis = cx.axis(at.axis, x.shape());
  const int64_t own = length ? *length : at.n ? 0 : x.dim(axis).value();
  return made(cx, axis, at.n.value_or(own), at.norm, direction);
}

std::vector<Line> lines_of(const InferCtx& cx, const Tensor& x, const GridAttrs& at,
                           Direction direction, bool real_output) {
  Ints axes;
  const int64_t rank = x.rank(), count = at.s ? static_cast<int64_t>(at.s->size()) : rank;
  if (at.axes) {
    cx.axes(*at.axes, x.shape());
    for (int64_t axis : *at.axes) axes.push_back(normalized(axis, rank));
  } else {
    for (int64_t i = std::max<int64_t>(rank - count, 0); i < rank; ++i) axes.push_back(i);
  }
  cx.require(!at.s || at.s->size() == axes.size(), "count", "s has ", count,
             " lengths, but there are ", axes.size(), " axes to transform");
  std::vector<Line> out;
  for (size_t i = 0; i < axes.size(); ++i) {
    const bool is_asked = at.s && (*at.s)[i] != -1;
    int64_t n = is_asked ? (*at.s)[i] : x.dim(axes[i]).value();
    if (!is_asked && real_output && i + 1 == axes.size()) n = 2 * (n - 1);
    out.push_back(made(cx, axes[i], n, at.norm, direction));
  }
  return out;
}

Tensor resized(const Tensor& x, int64_t axis, int64_t n) {
  const int64_t own = x.dim(axis).value();
  if (own == n) return x;
  if (own > n) return split(x, Ints{n, own - n}, axis)[0];
  Ints none(static_cast<size_t>(x.rank()), 0), after = none;
  after[static_cast<size_t>(axis)] = n - own;
  return pad(x, none, after);
}

Tensor as_complex(const Tensor& x) {
  const Tensor inexact = as_inexact(x);
  const DType dtype = complex_of(compute_of(inexact.dtype()));
  return inexact.dtype() == dtype ? inexact : cast(inexact, dtype);
}

Tensor as_real(std::string_view op, const Tensor& x) {
  const Tensor floating = as_floating(op, x);
  const DType dtype = compute_of(floating.dtype());
  return floating.dtype() == dtype ? floating : cast(floating, dtype);
}

Tensor complex_line(const Tensor& x, const Line& line, Direction direction) {
  const bool inverse = direction == Direction::kInverse;
  return c2c(resized(x, line.axis, line.n), line.axis, inverse, line.scale);
}

Tensor half_line(const Tensor& x, const Line& line) {
  return r2c(resized(x, line.axis, line.n), line.axis, line.scale);
}

Tensor real_line(const Tensor& x, const Line& line) {
  return c2r(resized(x, line.axis, line.n / 2 + 1), line.n, line.axis, line.scale);
}

Tensor complex_grid(const InferCtx& cx, const Tensor& x, const GridAttrs& at, Direction direction) {
  Tensor out = as_complex(x);
  const std::vector<Line> lines = lines_of(cx, out, at, direction);
  for (size_t i = lines.size(); i-- > 0;) out = complex_line(out, lines[i], direction);
  return out;
}

Tensor half_grid(const InferCtx& cx, const Tensor& x, const GridAttrs& at) {
  const Tensor real = as_real(cx.op, x);
  const std::vector<Line> lines = lines_of(cx, real, at, Direction::kForward);
  cx.require(!lines.empty(), "count", "there is no axis to transform; at least one is needed");
  Tensor out = half_line(real, lines.back());
  for (size_t i = lines.size() - 1; i-- > 0;) {
    out = complex_line(out, lines[i], Direction::kForward);
  }
  return out;
}

Tensor real_grid(const InferCtx& cx, const Tensor& x, const GridAttrs& at) {
  Tensor out = as_complex(x);
  const std::vector<Line> lines = lines_of(cx, out, at, Direction::kInverse, true);
  cx.require(!lines.empty(), "count", "there is no axis to transform; at least one is needed");
  for (size_t i = 0; i + 1 < lines.size(); ++i) {
    out = complex_line(out, lines[i], Direction::kInverse);
  }
  return real_line(out, lines.back());
}

GridAttrs grid_of(const PlaneAttrs& at) { return {at.s, at.axes, at.norm}; }

}  // namespace weft::fft
