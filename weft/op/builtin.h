// The ops that the machinery itself needs (promotion, un-broadcasting, batching); ops/ defines
// them.
#pragma once

#include <optional>

#include "weft/base/where.h"
#include "weft/core/tensor.h"

namespace weft {

Tensor cast(const Tensor& x, DType dtype, Where where = Where::here());
Tensor add(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor multiply(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor multiply_no_nan(const Tensor& a, const Tensor& b, Where where = Where::here());
Tensor conj(const Tensor& x, Where where = Where::here());
Tensor sum(const Tensor& x, std::optional<Ints> axis = {}, bool keepdims = false,
           Where where = Where::here());
Tensor reshape(const Tensor& x, const Shape& shape, Where where = Where::here());
Tensor broadcast_to(const Tensor& x, const Shape& shape, Where where = Where::here());
Tensor stack(TensorSpan xs, int64_t axis = 0, Where where = Where::here());
Tensor select_row(const Tensor& x, int64_t row, Where where = Where::here());  // x[row]
Tensor zeros(const Shape& shape, DType dtype = DType::kF32, Where where = Where::here());

}  // namespace weft
