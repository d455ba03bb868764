// interpolate: images and sequences brought to other sizes.
#pragma once

#include "weft/ops/nn/nn.h"

namespace weft {

// One of `size` and `scale_factor` is given.
struct InterpolateAttrs {
  std::optional<Ints> size = {};
  std::optional<double> scale_factor = {};
  std::string mode = "nearest";
  bool align_corners = false;
  std::string data_format = {};
  static constexpr auto fields = fields_of(
      field("size", &InterpolateAttrs::size, "the new axes of space, or one number for all"),
      field("scale_factor", &InterpolateAttrs::scale_factor,
            "what sizes are multiplied by, then rounded down; instead of size"),
      field("mode", &InterpolateAttrs::mode,
            "`nearest`, `nearest-exact`, `linear`, `bilinear`, `trilinear`, `bicubic` or `area`"),
      field("align_corners", &InterpolateAttrs::align_corners,
            "the outermost elements stay where they are (linear and bicubic)"),
      field("data_format", &InterpolateAttrs::data_format,
            "`NCHW` (if left out) or `NHWC`, or as many letters as there are axes"));
};

namespace nn {
// nn::interpolate(x, {.scale_factor = 2.0, .mode = "bilinear"})
Tensor interpolate(const Tensor& x, const InterpolateAttrs& at, Where where = Where::here());
}  // namespace nn

}  // namespace weft
