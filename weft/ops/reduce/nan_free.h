// What reductions that leave out NaN share.
#pragma once

#include <limits>

#include "weft/ops/math/nan_replaced.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {

// x with `value` in place of NaN; integers and bools as they are.
inline Tensor nan_replaced(const Tensor& x, double value) {
  if (kind_of(x.dtype()) <= Kind::kInteger) return x;
  constexpr double kInf = std::numeric_limits<double>::infinity();
  if (is_floating(x.dtype())) {
    return nan_replaced_each(x, scalar_like(x, value), scalar_like(x, kInf));
  }
  return where(isnan(x), scalar_like(x, value), x);
}

extern const OpDef kNansumNumbers;

// nanmax and nanmin: `choose` over the elements that are numbers, NaN where there are none.
Tensors nan_extremum(const CompositeDef& op, const ReduceAttrs& at, const Tensor& x,
                     Tensor (*choose)(const Tensor&, std::optional<Ints>, bool, Where),
                     double nothing);

}  // namespace weft
