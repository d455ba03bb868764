// Pooling: one line per op; each op's documentation is in its file.
#pragma once

#include "weft/core/native.h"
#include "weft/op/builtin.h"
#include "weft/op/infer.h"
#include "weft/op/op.h"

namespace weft {

// The windows of the primitives, which take [batch, space.., channels]. Lists have a number for
// each axis of space. With `places`, windows are those of adaptive pooling and the rest is empty.
struct WindowAttrs {
  Ints taps, stride, dilation, low, high;
  bool ceil_mode = false;
  Ints places;
  static constexpr auto fields = fields_of(
      field("taps", &WindowAttrs::taps, "the size of the window"),
      field("stride", &WindowAttrs::stride, "steps between places of the window"),
      field("dilation", &WindowAttrs::dilation, "steps between elements of a window"),
      field("low", &WindowAttrs::low, "padding before each axis"),
      field("high", &WindowAttrs::high, "padding behind each axis"),
      field("ceil_mode", &WindowAttrs::ceil_mode, "windows may hang over the end of an axis"),
      field("places", &WindowAttrs::places, "how many places there are (adaptive pooling)"));
};

struct MeanWindowAttrs : WindowAttrs {
  bool count_include_pad = true;
  std::optional<int64_t> divisor;
  static constexpr auto fields = fields_of(
      field<MeanWindowAttrs, Ints>("taps", &MeanWindowAttrs::taps, "as in pool.max"),
      field<MeanWindowAttrs, Ints>("stride", &MeanWindowAttrs::stride, "as in pool.max"),
      field<MeanWindowAttrs, Ints>("low", &MeanWindowAttrs::low, "as in pool.max"),
      field<MeanWindowAttrs, Ints>("high", &MeanWindowAttrs::high, "as in pool.max"),
      field<MeanWindowAttrs, bool>("ceil_mode", &MeanWindowAttrs::ceil_mode, "as in pool.max"),
      field<MeanWindowAttrs, Ints>("places", &MeanWindowAttrs::places, "as in pool.max"),
      field("count_include_pad", &MeanWindowAttrs::count_include_pad,
            "whether padding counts in the divisor"),
      field("divisor", &MeanWindowAttrs::divisor, "what sums are divided by, if not the count"));
};

struct SpreadWindowAttrs : MeanWindowAttrs {
  Ints size;
  static constexpr auto fields = fields_of(
      field("size", &SpreadWindowAttrs::size, "the axes of space of the result", kRequired),
      field<SpreadWindowAttrs, Ints>("taps", &SpreadWindowAttrs::taps, "as in pool.max"),
      field<SpreadWindowAttrs, Ints>("stride", &SpreadWindowAttrs::stride, "as in pool.max"),
      field<SpreadWindowAttrs, Ints>("low", &SpreadWindowAttrs::low, "as in pool.max"),
      field<SpreadWindowAttrs, Ints>("high", &SpreadWindowAttrs::high, "as in pool.max"),
      field<SpreadWindowAttrs, bool>("ceil_mode", &SpreadWindowAttrs::ceil_mode, "as in pool.max"),
      field<SpreadWindowAttrs, Ints>("places", &SpreadWindowAttrs::places, "as in pool.max"),
      field<SpreadWindowAttrs, bool>("count_include_pad", &SpreadWindowAttrs::count_include_pad,
                                     "as in pool.mean"),
      field<SpreadWindowAttrs, std::optional<int64_t>>("divisor", &SpreadWindowAttrs::divisor,
                                                       "as in pool.mean"));
};

// How the user sees x: errors speak of that shape and of its axes.
struct SeenAs {
  ShapeView shape;
  int64_t first_axis;  // of space
};
// The places along each axis of space of x; raises [op.rank], [op.count], [op.positive],
// [op.window].
Shape window_places(const WindowAttrs& at, const InferCtx& cx, ShapeView x);
Shape window_places(const WindowAttrs& at, const InferCtx& cx, ShapeView x, const SeenAs& seen);
// What each window covers, for axes of space of known sizes.
Windows windows_of(const WindowAttrs& at, std::span<const int64_t> sizes);
// By what the sum of each window is divided: f64, [places..].
Tensor divisors_of(const MeanWindowAttrs& at, std::span<const int64_t> sizes);
// The sizes of the axes of space of [batch, space.., channels].
Ints space_of(ShapeView x);

// Lists have one number for all axes of space, or one for each.
struct MaxPoolAttrs {
  Ints kernel_size;
  std::optional<Ints> stride = {};
  Ints padding{0}, dilation{1};
  bool ceil_mode = false;
  std::string data_format = {};
  static constexpr auto fields = fields_of(
      field("kernel_size", &MaxPoolAttrs::kernel_size, "the size of the window", kRequired),
      field("stride", &MaxPoolAttrs::stride,
            "steps between places of the window; its size if left out"),
      field("padding", &MaxPoolAttrs::padding, "-inf on both sides of each axis"),
      field("dilation", &MaxPoolAttrs::dilation, "steps between elements of a window"),
      field("ceil_mode", &MaxPoolAttrs::ceil_mode, "windows may hang over the end of an axis"),
      field("data_format", &MaxPoolAttrs::data_format,
            "`NCHW` (if left out) or `NHWC`, or as many letters as there are axes"));
};

struct AvgPoolAttrs {
  Ints kernel_size;
  std::optional<Ints> stride = {};
  Ints padding{0};
  bool ceil_mode = false;
  bool count_include_pad = true;
  std::optional<int64_t> divisor_override = {};
  std::string data_format = {};
  static constexpr auto fields = fields_of(
      field("kernel_size", &AvgPoolAttrs::kernel_size, "the size of the window", kRequired),
      field("stride", &AvgPoolAttrs::stride,
            "steps between places of the window; its size if left out"),
      field("padding", &AvgPoolAttrs::padding, "zeros on both sides of each axis"),
      field("ceil_mode", &AvgPoolAttrs::ceil_mode, "windows may hang over the end of an axis"),
      field("count_include_pad", &AvgPoolAttrs::count_include_pad,
            "whether padding counts in the divisor"),
      field("divisor_override", &AvgPoolAttrs::divisor_override,
            "what sums are divided by, if not the number of elements"),
      field("data_format", &AvgPoolAttrs::data_format,
            "`NCHW` (if left out) or `NHWC`, or as many letters as there are axes"));
};

struct AdaptivePoolAttrs {
  Ints output_size;
  std::string data_format = {};
  static constexpr auto fields = fields_of(
      field("output_size", &AdaptivePoolAttrs::output_size,
            "how many places there are along each axis of space, or one number for all", kRequired),
      field("data_format", &AdaptivePoolAttrs::data_format,
            "`NCHW` (if left out) or `NHWC`, or as many letters as there are axes"));
};

extern const OpDef kPoolMax, kPoolMean, kPoolSpread;
extern const CompositeDef kMaxPool1d, kMaxPool2d, kMaxPool3d, kMaxPool1dWithIndices,
    kMaxPool2dWithIndices, kMaxPool3dWithIndices, kAvgPool1d, kAvgPool2d, kAvgPool3d,
    kAdaptiveAvgPool1d, kAdaptiveAvgPool2d, kAdaptiveAvgPool3d, kAdaptiveMaxPool1d,
    kAdaptiveMaxPool2d, kAdaptiveMaxPool3d;

namespace nn {
Tensor max_pool1d(const Tensor& x, const MaxPoolAttrs& at, Where where = Where::here());
Tensor max_pool2d(const Tensor& x, const MaxPoolAttrs& at, Where where = Where::here());
Tensor max_pool3d(const Tensor& x, const MaxPoolAttrs& at, Where where = Where::here());
// The maxima, and their indices in the axes of space taken as one.
Tensors max_pool1d_with_indices(const Tensor& x, const MaxPoolAttrs& at,
                                Where where = Where::here());
Tensors max_pool2d_with_indices(const Tensor& x, const MaxPoolAttrs& at,
                                Where where = Where::here());
Tensors max_pool3d_with_indices(const Tensor& x, const MaxPoolAttrs& at,
                                Where where = Where::here());
Tensor avg_pool1d(const Tensor& x, const AvgPoolAttrs& at, Where where = Where::here());
Tensor avg_pool2d(const Tensor& x, const AvgPoolAttrs& at, Where where = Where::here());
Tensor avg_pool3d(const Tensor& x, const AvgPoolAttrs& at, Where where = Where::here());
Tensor adaptive_avg_pool1d(const Tensor& x, const AdaptivePoolAttrs& at,
                           Where where = Where::here());
Tensor adaptive_avg_pool2d(const Tensor& x, const AdaptivePoolAttrs& at,
                           Where where = Where::here());
Tensor adaptive_avg_pool3d(const Tensor& x, const AdaptivePoolAttrs& at,
                           Where where = Where::here());
// The maxima and their indices, as above.
Tensors adaptive_max_pool1d(const Tensor& x, const AdaptivePoolAttrs& at,
                            Where where = Where::here());
Tensors adaptive_max_pool2d(const Tensor& x, const AdaptivePoolAttrs& at,
                            Where where = Where::here());
Tensors adaptive_max_pool3d(const Tensor& x, const AdaptivePoolAttrs& at,
                            Where where = Where::here());
}  // namespace nn

}  // namespace weft
