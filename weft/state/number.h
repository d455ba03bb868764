// number: what Python computes of two numbers, known when the graph runs.
#pragma once

#include <string>

#include "weft/op/op.h"

namespace weft {

struct NumberAttrs {
  std::string operation;
  static constexpr auto fields = fields_of(
      field("operation", &NumberAttrs::operation, "one of + - * / // % ** int, or a dtype"));
};
// Of two int64 or two float64, + and its like; `int` of one float64; with the name of a dtype the
// number itself, if the dtype holds it. Raises where Python does, and where an integer needs more
// than 64 bits.
extern const OpDef kNumber;

// a / b and a ** b of floats as Python computes them, libm's pow among it; `who` raises what Python
// would.
double python_quotient(const InferCtx& who, double a, double b);
double python_power(const InferCtx& who, double a, double b);

}  // namespace weft
