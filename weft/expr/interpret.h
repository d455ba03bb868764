// The reference interpreter of Expr: arithmetic in the node's own dtype, math functions by libm in
// long double.
#pragma once

#include <span>

#include "weft/expr/expr.h"

namespace weft {

// A scalar of any dtype: integers in `i` (u64 as its bits), floats in `re`, complex in (`re`,
// `im`).
struct ScalarValue {
  long double re = 0;
  long double im = 0;
  int64_t i = 0;
};

// What one evaluation sees. `rows[k]` is input k along the row; elementwise evaluation has rows of
// length 1.
struct InterpretInputs {
  std::span<const ScalarValue> values;                 // elementwise: input k
  std::span<const std::span<const ScalarValue>> rows;  // row kernels: input k, element j
  uint64_t position = 0;                               // linear index of the element
};

// The value of `root` for one element.
ScalarValue interpret(Expr root, const InterpretInputs& inputs);

// The values of `root` along the whole row (one per element; row values repeat).
void interpret_row(Expr root, const InterpretInputs& inputs, std::span<ScalarValue> out);

}  // namespace weft
