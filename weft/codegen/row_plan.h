// How a row kernel is cut into passes over its row.
#pragma once

#include "weft/codegen/kernel_spec.h"

namespace weft::codegen {

// Whether the expression has one value for a whole row: it reads elements only through reductions.
bool is_row_value(Expr e);

// Bytes of scratch a row kernel needs for each element of its row (0 for other kernels).
int64_t row_scratch_bytes(const KernelSpec& spec);

}  // namespace weft::codegen
