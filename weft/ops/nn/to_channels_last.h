// nn.to_channels_last: the same images, with the channels last in memory and unchanged axes.
#pragma once

#include "weft/op/op.h"

namespace weft {

namespace nn {
Tensor to_channels_last(const Tensor& x, Where where = Where::here());
}  // namespace nn

extern const CompositeDef kToChannelsLast;

}  // namespace weft
