// What var, std, nanvar and nanstd share.
#pragma once

#include "weft/ops/reduce/reduce.h"

namespace weft {

struct VarAttrs {
  std::optional<Ints> axis;
  double correction = 0;
  bool keepdims = false;
  static constexpr auto fields = fields_of(
      field("axis", &VarAttrs::axis, "the axis or axes to reduce; all of them if left out"),
      field("correction", &VarAttrs::correction, "what is taken off the number of elements"),
      field("keepdims", &VarAttrs::keepdims, "keep reduced axes with size 1"));
};

Tensor variance(const InferCtx& cx, const VarAttrs& at, const Tensor& input);
// The root of a variance; that of 0 is kept away from sqrt's infinite slope: its gradient is 0.
Tensor deviation(const Tensor& variance);

}  // namespace weft
