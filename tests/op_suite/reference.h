// What an op should give, by the interpreter of its meaning or by the reference its test brings.
#pragma once

#include "tests/op_suite/arrays.h"

namespace weft::suite {

// Empty if the op has neither an Expr meaning nor a reference.
std::optional<Arrays> reference_of(const OpTest& test, const OpEntry& entry, const Arrays& in,
                                   AnyAttrs& attrs);

}  // namespace weft::suite
