// size_float: a float computed from sizes, such as 1 / n, known when the graph runs.
#pragma once

#include <string>

#include "weft/op/op.h"

namespace weft {

// A formula in postfix form: a number, "size" for the next of the sizes, or one of + - * / ^, which
// takes the two values before it. 0.5 * n is {[n], "0.5 size *"}.
struct SizeFloatAttrs {
  Shape sizes;
  std::string formula;
  static constexpr auto fields =
      fields_of(field("sizes", &SizeFloatAttrs::sizes, "the sizes, in the order of the formula"),
                field("formula", &SizeFloatAttrs::formula, "what is computed, in postfix form"));
};
extern const OpDef kSizeFloat;

// In double precision, as Python computes it; raises what Python raises. Sizes with symbols are
// decided.
double value_of_size_float(const SizeFloatAttrs& attrs);
// The number when the graph runs: a float64 that takes the dtype of what it meets, as a float
// would.
Tensor size_float(const SizeFloatAttrs& attrs, Where where = Where::here());

}  // namespace weft
