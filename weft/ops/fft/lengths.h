// What the ops of fft/ share: lengths, normalisation, and the axes of transforms in several
// dimensions.
#pragma once

#include "weft/op/apply.h"

namespace weft::fft {

// Attributes of transforms along one axis.
struct LineAttrs {
  std::optional<int64_t> n;
  int64_t axis = -1;
  std::string norm = "backward";
  static constexpr auto fields = fields_of(
      field("n", &LineAttrs::n,
            "the length of the transform: the axis is cut, or filled with zeros; its own if left "
            "out"),
      field("axis", &LineAttrs::axis, "the axis to transform"),
      field("norm", &LineAttrs::norm,
            "which direction is divided by n: 'backward', 'forward', or both by its root: "
            "'ortho'"));
};

// Of transforms along several axes.
struct GridAttrs {
  std::optional<Ints> s;
  std::optional<Ints> axes;
  std::string norm = "backward";
  static constexpr auto fields = fields_of(
      field("s", &GridAttrs::s,
            "the lengths of the transform along `axes`; -1 and left out: those of the input"),
      field("axes", &GridAttrs::axes,
            "the axes to transform; all if left out, or as many of the last as `s` has"),
      field("norm", &GridAttrs::norm,
            "which direction is divided by the lengths: 'backward', 'forward', or both by their "
            "root: 'ortho'"));
};
// Of transforms along two.
struct PlaneAttrs {
  std::optional<Ints> s;
  Ints axes{-2, -1};
  std::string norm = "backward";
  static constexpr auto fields = fields_of(
      field("s", &PlaneAttrs::s,
            "the lengths of the transform along `axes`; -1 and left out: those of the input"),
      field("axes", &PlaneAttrs::axes, "the two axes to transform"),
      field("norm", &PlaneAttrs::norm,
            "which direction is divided by the lengths: 'backward', 'forward', or both by their "
            "root: 'ortho'"));
};

// Raises [op.length] for a length of 0 or less.
void require_length(const InferCtx& cx, Dim n);

// 1 for the elements of a half that stand for themselves, 2 for the others; along `axis` of `rank`.
Tensor half_weights(int64_t n, int64_t axis, int64_t rank, DType dtype, Where where);

// One axis of a transform, its length and the factor that `norm` gives it.
struct Line {
  int64_t axis, n;
  double scale;
};

// Which way a transform goes, as far as `norm` is concerned.
enum class Direction { kForward, kInverse };

// The line that attributes ask for; raises [op.axis], [op.length] or [op.norm]. `length` is what n
// is if left out.
Line line_of(const InferCtx& cx, const Tensor& x, const LineAttrs& at, Direction direction,
             std::optional<int64_t> length = {});
// The lines of a grid; raises also [op.count]. With `real_output` the last one is by default
// 2 (m - 1) long.
std::vector<Line> lines_of(const InferCtx& cx, const Tensor& x, const GridAttrs& at,
                           Direction direction, bool real_output = false);

// x cut or filled with zeros to n elements along `axis`.
Tensor resized(const Tensor& x, int64_t axis, int64_t n);
// x as complex or real numbers of a dtype that transforms have.
Tensor as_complex(const Tensor& x);
Tensor as_real(std::string_view op, const Tensor& x);

// The transform along a line: complex, of real numbers, and to real numbers.
Tensor complex_line(const Tensor& x, const Line& line, Direction direction);
Tensor half_line(const Tensor& x, const Line& line);
Tensor real_line(const Tensor& x, const Line& line);

// The whole of the n-dimensional ops, which those of two dimensions share.
Tensor complex_grid(const InferCtx& cx, const Tensor& x, const GridAttrs& at, Direction direction);
Tensor half_grid(const InferCtx& cx, const Tensor& x, const GridAttrs& at);
Tensor real_grid(const InferCtx& cx, const Tensor& x, const GridAttrs& at);
GridAttrs grid_of(const PlaneAttrs& at);

}  // namespace weft::fft
