// What the files of batch_norm share.
#pragma once

#include "weft/ops/norm/norm.h"

namespace weft {

struct EpsAttrs {
  double eps = 1e-5;
  static constexpr auto fields =
      fields_of(field("eps", &EpsAttrs::eps, "what is added to the variance"));
};

// Means over batch and space of [batch, channels, space], as [channels, 1].
Tensor channel_mean(const Tensor& x, Where where);
// 1 / sqrt(variance + eps).
Tensor channel_scale(const Tensor& variance, double eps, Where where);

}  // namespace weft
