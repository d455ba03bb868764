// Linear algebra: one line per op; each op's documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

Tensor matmul(const Tensor& a, const Tensor& b, Where where = Where::here());

extern const OpDef kMatmul;

}  // namespace weft
