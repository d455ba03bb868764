// The cotangent a reverse pass starts with.
#pragma once

#include <string_view>

#include "weft/base/where.h"
#include "weft/core/tensor.h"

namespace weft {

// Raises [who.complex] for a complex target: no direction of its plane is the one to ascend in.
void require_real(const Tensor& target, std::string_view who);

// `given`, checked against the type of `target`; if undefined, 1 for a real scalar, and an error
// for anything else.
Tensor initial_cotangent(const Tensor& target, const Tensor& given, std::string_view who,
                         Where where);

}  // namespace weft
