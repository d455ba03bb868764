// What stands behind native::conv and native::conv_dw.
#pragma once

#include "weft/core/native.h"

namespace weft::kernels {

void conv_tensor(const Tensor& y, const Tensor& x, const Tensor& w, const ConvWindow& window);
void conv_dw_tensor(const Tensor& w, const Tensor& x, const Tensor& y, const ConvWindow& window);

}  // namespace weft::kernels
