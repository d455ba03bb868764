// Rows of tensors as bytes: copied one by one, or gathered by their numbers.
#pragma once

#include <span>

#include "weft/core/tensor.h"

namespace weft::data {

// The elements in row-major order.
void copy_to(void* to, const Tensor& from);

// The same values, contiguous.
Tensor contiguous(const Tensor& tensor);

// Is every row in one piece, wherever the next one begins?
bool has_whole_rows(const Tensor& tensor);
// out[i] = rows[indices[i]] of a tensor with whole rows; the numbers are in range.
Tensor gathered(const Tensor& rows, std::span<const int64_t> indices);

}  // namespace weft::data
