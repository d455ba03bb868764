// Adding a cotangent to a sum that nobody else holds, in place where that is possible.
#pragma once

#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/op/context.h"

namespace weft {

inline void accumulate(Tensor& sum, const Tensor& term) {
  // Observers see the addition as the op it is.
  if (context.is_special || !eager_add_to(sum, term)) sum = add(sum, term, Where());
}

}  // namespace weft
