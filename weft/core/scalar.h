// Language scalars: the numbers of `x + 1.0`, which take the dtype of the tensor they meet if it
// can hold them.
#pragma once

#include <string>

#include "weft/core/tensor.h"

namespace weft {

// Writes the value of a language scalar (rank 0: bool, int64, uint64, float64 or complex128) as one
// element of `dtype`. False, and nothing written, if the dtype cannot hold it: an integer out of
// range, a finite number that would become infinite, a fraction in an integer, a complex number in
// a real dtype. Rounding to the nearest number of a floating dtype is no loss.
bool store_scalar(const Tensor& scalar, DType dtype, void* to);

// Language scalars beyond what Tensor's constructors take.
Tensor weak_scalar_of(uint64_t value);
Tensor weak_scalar_of(Complex128 value);

std::string range_of(DType dtype);           // "0 to 255": what the dtype holds
std::string value_of(const Tensor& scalar);  // "300": for messages

}  // namespace weft
