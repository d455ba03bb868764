// What the convolutions share: the attributes of the two primitives, and their shapes.
#pragma once

#include "weft/core/native.h"
#include "weft/op/infer.h"
#include "weft/ops/nn/nn.h"

namespace weft {

// Lists have a number for each axis of space, or are empty.
struct ConvAttrs {
  Ints stride, dilation, low, high, input_dilation;
  int64_t groups = 1;
  static constexpr auto fields = fields_of(
      field("stride", &ConvAttrs::stride, "steps between places of the window; 1 if left out"),
      field("dilation", &ConvAttrs::dilation, "steps between taps of the window; 1 if left out"),
      field("low", &ConvAttrs::low, "zeros before each axis, or elements to leave out if negative"),
      field("high", &ConvAttrs::high, "zeros behind each axis, or elements to leave out"),
      field("input_dilation", &ConvAttrs::input_dilation,
            "steps between elements of x, with nothing between them; 1 if left out"),
      field("groups", &ConvAttrs::groups, "into how many parts the channels are divided"));
};

struct ConvDwAttrs : ConvAttrs {
  Ints taps;
  static constexpr auto fields = fields_of(
      field("taps", &ConvDwAttrs::taps, "the size of the window, for each axis of space",
            kRequired),
      field<ConvDwAttrs, Ints>("stride", &ConvDwAttrs::stride, "as in conv"),
      field<ConvDwAttrs, Ints>("dilation", &ConvDwAttrs::dilation, "as in conv"),
      field<ConvDwAttrs, Ints>("low", &ConvDwAttrs::low, "as in conv"),
      field<ConvDwAttrs, Ints>("high", &ConvDwAttrs::high, "as in conv"),
      field<ConvDwAttrs, Ints>("input_dilation", &ConvDwAttrs::input_dilation, "as in conv"),
      field<ConvDwAttrs, int64_t>("groups", &ConvDwAttrs::groups, "as in conv"));
};

// The attributes with a number for each of `axes` axes; raises [op.count], [op.positive].
ConvAttrs complete(const ConvAttrs& at, const InferCtx& cx, size_t axes);

// The places of a window of `taps` along each axis of space of x; raises [op.window].
Shape conv_places(const ConvAttrs& complete, const InferCtx& cx, ShapeView x, ShapeView taps);

// The cotangent of x, whose shape is given, from that of the output: a convolution with the window
// turned round. `weight` is conjugated already.
Tensor conv_dx(const ConvAttrs& complete, ShapeView x, const Tensor& weight, const Tensor& g,
               Where where);

// A batch axis in front becomes part of the last axis, which has `groups` groups: within each
// group, or (as_groups) a group of its own. And back.
Tensor join_channels(const Tensor& x, int64_t groups, bool as_groups, Where where);
Tensor part_channels(const Tensor& x, Dim size, int64_t groups, bool as_groups, Where where);

ConvWindow window_of(const ConvAttrs& complete);

}  // namespace weft
