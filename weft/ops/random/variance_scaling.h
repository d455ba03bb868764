// What initializers share: weights whose variance is set by the number of inputs and outputs.
#pragma once

#include "weft/ops/random/random.h"

namespace weft::random {

struct WeightAttrs {
  Shape shape;
  DType dtype = DType::kF32;
  int64_t in_axis = 1;
  int64_t out_axis = 0;
  static constexpr auto fields =
      fields_of(field("shape", &WeightAttrs::shape, "the shape", kRequired),
                field("dtype", &WeightAttrs::dtype, "the dtype of the elements"),
                field("in_axis", &WeightAttrs::in_axis,
                      "the axis of the layer's inputs: 1 in nn.linear and nn.conv2d"),
                field("out_axis", &WeightAttrs::out_axis,
                      "the axis of the layer's outputs; other axes are "
                      "those of a window, and count for both"));
};

// Raises [op.rank], [op.axes], [op.axis], [op.negative], [op.dtype], [op.key], [op.mode],
// [op.distribution].
Tensor scaled_weights(std::string_view op, const WeightAttrs& at, const Tensor& key, double scale,
                      std::string_view mode, std::string_view distribution);

}  // namespace weft::random
