// interpolate: images and signals brought to another size, axis by axis.
#include <algorithm>
#include <cmath>
#include <vector>

#include "weft/op/apply.h"
#include "weft/ops/nn/interpolate.h"
#include "weft/ops/nn/interpolate_axis.h"
#include "weft/ops/nn/nn.h"
#include "weft/ops/pool/pool.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

// The element that each place of a new axis takes.
Tensor nearest_elements(int64_t size, int64_t places, double step, bool exact) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < places; ++i) {
    const double at = std::floor((static_cast<double>(i) + (exact ? 0.5 : 0.0)) * step);
    out.push_back(std::clamp<int64_t>(static_cast<int64_t>(at), 0, size - 1));
  }
  return Tensor::from_bytes(DType::kI64, Shape{places}, std::as_bytes(std::span(out)));
}

constexpr std::string_view kLinear[] = {"linear", "bilinear", "trilinear"};
constexpr std::string_view kFirst[] = {"NCW", "NCHW", "NCDHW"};
constexpr std::string_view kLast[] = {"NWC", "NHWC", "NDHWC"};

// The new sizes; raises [interpolate.size].
Ints new_sizes(const InferCtx& cx, const InterpolateAttrs& at, ShapeView space) {
  const size_t axes = space.size();
  cx.require(at.size.has_value() != at.scale_factor.has_value(), "size",
             "give size or scale_factor, one of the two");
  Ints out;
  for (size_t d = 0; d < axes; ++d) {
    if (at.scale_factor) {
      const double size = std::floor(static_cast<double>(space[d].value()) * *at.scale_factor);
      cx.require(size >= 1 && size <= 0x1p24, "size", "scale_factor is ", *at.scale_factor,
                 " for axes of space ", space,
                 "; what comes out must have between 1 and 2^24 elements an axis");
      out.push_back(static_cast<int64_t>(size));
      continue;
    }
    cx.require(at.size->size() == 1 || at.size->size() == axes, "size", "size has ",
               at.size->size(), " numbers; give 1, or one for each of the ", axes,
               " axes of space");
    out.push_back((*at.size)[at.size->size() == 1 ? 0 : d]);
    cx.require(out[d] >= 1 && out[d] <= 1 << 24, "size", "size is ", *at.size,
               "; it must be between 1 and ", 1 << 24);
  }
  return out;
}

Tensor area(const Tensor& x, const Ints& sizes, bool channels_last) {
  MeanWindowAttrs windows;
  windows.places = sizes;
  if (channels_last) return apply(kPoolMean, inputs(x), windows, Where{});
  Ints to{0}, back{0, x.rank() - 1};
  for (int64_t d = 2; d < x.rank(); ++d) to.push_back(d), back.push_back(d - 1);
  to.push_back(1);
  return permute_dims(apply(kPoolMean, inputs(permute_dims(x, to)), windows, Where{}), back);
}

Tensors composed(const InterpolateAttrs& at, TensorSpan in) {
  const InferCtx cx{"interpolate"};
  const Tensor& x = in[0];
  cx.require(3 <= x.rank() && x.rank() <= 5, "rank", "x has shape ", x.shape(),
             "; it must be [batch, channels, space..] with 1 to 3 axes of space");
  const auto axes = static_cast<size_t>(x.rank() - 2);
  const std::string_view format = at.data_format, mode = at.mode;
  cx.require(format.empty() || format == kFirst[axes - 1] || format == kLast[axes - 1],
             "data_format", "data_format is \"", format, "\"; it must be \"", kFirst[axes - 1],
             "\" or \"", kLast[axes - 1], "\"");
  const bool channels_last = format == kLast[axes - 1];
  const bool is_linear = mode == kLinear[axes - 1] || mode == "linear";
  const bool is_cubic = mode == "bicubic" && axes == 2;
  const bool is_nearest = mode == "nearest" || mode == "nearest-exact";
  const bool is_area = mode == "area";
  cx.require(is_linear || is_cubic || is_nearest || is_area, "mode", "mode is \"", mode, "\" for ",
             axes, " axes of space; it must be \"nearest\", \"nearest-exact\", \"",
             kLinear[axes - 1], "\", \"area\" or, for 2, \"bicubic\"");
  cx.require(!at.align_corners || is_linear || is_cubic, "align_corners",
             "align_corners is given with mode \"", mode, "\"; only linear and cubic ones have it");
  const ShapeView space = x.shape().subspan(channels_last ? 1 : 2, axes);
  for (const Dim dim : space) {
    cx.require(!dim.is_known() || dim.value() > 0, "size", "x has shape ", x.shape(),
               "; an axis of space needs elements");
  }
  const Ints sizes = new_sizes(cx, at, space);
  if (is_area) return {area(x, sizes, channels_last)};
  Tensor out = x;
  for (size_t d = 0; d < axes; ++d) {
    const int64_t size = space[d].value();
    const double step = at.scale_factor ? 1 / *at.scale_factor
                                        : static_cast<double>(size) / static_cast<double>(sizes[d]);
    const int64_t axis = static_cast<int64_t>(d) + (channels_last ? 1 : 2);
    if (is_nearest) {
      out = take(out, nearest_elements(size, sizes[d], step, mode == "nearest-exact"), axis);
    } else {
      const InterpolateAxisAttrs along{axis, sizes[d], step, is_cubic, at.align_corners};
      out = apply(kInterpolateAxis, inputs(out), along, Where{});
    }
  }
  return {out};
}

}  // namespace

constinit const CompositeDef kInterpolate{
    .name = "interpolate",
    .module = "nn",
    .doc =
        "`x` [batch, channels, space..] with other axes of space, one axis after the other. Place "
        "i of an axis lies at `(i + 0.5) * size / places - 0.5`, or with `align_corners` at `i * "
        "(size - 1) / (places - 1)`; with `scale_factor`, `size / places` is one divided by it. "
        "`nearest` takes element `floor(i * size / places)`, `nearest-exact` `floor((i + 0.5) * "
        "size / places)`, `linear` (bilinear, trilinear) weighs 2 elements, `bicubic` 4 by Keys' "
        "cubic with a = -0.75, where the outermost elements are repeated, and `area` is "
        "adaptive_avg_pool. Taps are added in ascending order.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<InterpolateAttrs>(),
    .laws = {Law{"rank", "`x` has a batch axis, channels and 1 to 3 axes of space"},
             Law{"size", "`size` or `scale_factor` is given, and gives sizes of at least 1"},
             Law{"mode", "`mode` is one of those named, for these axes"},
             Law{"align_corners", "only linear and cubic modes have aligned corners"},
             Law{"data_format", "`data_format` is `NCHW`, `NHWC` or left out"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"torch", "nn.functional.interpolate"},
                 Alias{"torch", "nn.functional.upsample"},
                 Alias{"jax",
                       "image.resize: it smooths where it makes smaller, its nearest is our "
                       "nearest-exact, and its cubic has a = -0.5, ours -0.75"},
                 Alias{"tf",
                       "image.resize: its nearest is our nearest-exact, its bicubic has a = -0.5, "
                       "ours -0.75, and with antialias it smooths where it makes smaller"}},
};

Tensor nn::interpolate(const Tensor& x, const InterpolateAttrs& at, Where where) {
  return compose(kInterpolate, inputs(x), at, where);
}

}  // namespace weft
