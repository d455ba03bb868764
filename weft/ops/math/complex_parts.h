// Complex numbers of their parts, where these are tensors.
#pragma once

#include "weft/ops/math/operators.h"

namespace weft {

inline Tensor imaginary_unit(DType dtype, Where where = Where::here()) {
  const Complex128 i{0.0, 1.0};
  return cast(Tensor::from_bytes(DType::kC128, {}, std::as_bytes(std::span(&i, 1))), dtype, where);
}

// real + i imag. Of finite parts alone: an infinite one times the unit's 0 would spoil the other.
inline Tensor complex_of(const Tensor& real, const Tensor& imag, DType dtype) {
  const Tensor unit = imaginary_unit(dtype), turned = cast(imag, dtype) * unit;
  return cast(real, dtype) + turned;
}

}  // namespace weft
