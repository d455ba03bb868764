// Fourier transforms of strided tensors along an axis, in the pool.
#pragma once

#include "weft/core/tensor.h"

namespace weft::kernels::fft {

// As native::fft says. f32 with c64 or f64 with c128; `out` is contiguous.
void transform_axis(const Tensor& out, const Tensor& in, int64_t axis, bool inverse, double scale);

}  // namespace weft::kernels::fft
