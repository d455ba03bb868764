// What conv1d, conv2d and conv3d and their transposed forms share.
#pragma once

#include "weft/op/infer.h"
#include "weft/ops/nn/nn.h"

namespace weft {

// Lists have one number for all axes of space, or one for each; padding may have two for each.
struct ConvCallAttrs {
  Ints stride{1}, padding{0}, dilation{1};
  int64_t groups = 1;
  std::string auto_padding = {};
  std::string data_format = {};
  static constexpr auto fields = fields_of(
      field("stride", &ConvCallAttrs::stride, "steps between places of the window"),
      field("padding", &ConvCallAttrs::padding,
            "zeros on both sides of each axis; with two numbers an axis, before and behind it"),
      field("dilation", &ConvCallAttrs::dilation, "steps between taps of the window"),
      field("groups", &ConvCallAttrs::groups, "into how many parts the channels are divided"),
      field("auto_padding", &ConvCallAttrs::auto_padding,
            "`same` (or `SAME`) pads so that there are ceil(size / stride) places, `valid` (or "
            "`VALID`) not at all; instead of padding"),
      field("data_format", &ConvCallAttrs::data_format,
            "`NCHW` (if left out) or `NHWC`, or as many letters as there are axes: the layout of x "
            "and of the result"));
};

struct ConvTransposeAttrs {
  Ints stride{1}, padding{0}, output_padding{0};
  int64_t groups = 1;
  Ints dilation{1};
  std::string data_format = {};
  static constexpr auto fields = fields_of(
      field("stride", &ConvTransposeAttrs::stride, "steps between elements of x in the result"),
      field("padding", &ConvTransposeAttrs::padding,
            "what conv's padding was: as many elements are left out on both sides of each axis"),
      field("output_padding", &ConvTransposeAttrs::output_padding,
            "elements more at the end of each axis"),
      field("groups", &ConvTransposeAttrs::groups, "into how many parts the channels are divided"),
      field("dilation", &ConvTransposeAttrs::dilation, "steps between taps of the window"),
      field("data_format", &ConvTransposeAttrs::data_format,
            "`NCHW` (if left out) or `NHWC`, or as many letters as there are axes: the layout of x "
            "and of the result"));
};

Tensors conv_call(const ConvCallAttrs& at, const InferCtx& cx, TensorSpan in, int64_t axes);
Tensors conv_transpose_call(const ConvTransposeAttrs& at, const InferCtx& cx, TensorSpan in,
                            int64_t axes);

}  // namespace weft
