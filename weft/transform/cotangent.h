// The cotangent a reverse pass starts with.
#pragma once

#include <string_view>

#include "weft/base/where.h"
#include "weft/core/tensor.h"

namespace weft {

// `given`, checked against the type of `target`; if undefined, 1 for a scalar, and an error for
// anything else.
Tensor initial_cotangent(const Tensor& target, const Tensor& given, std::string_view who,
                         Where where);

}  // namespace weft
