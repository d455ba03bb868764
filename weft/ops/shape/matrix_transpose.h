// matrix_transpose: the last two axes exchanged, as a view.
#pragma once

#include "weft/op/op.h"

namespace weft {

Tensor matrix_transpose(const Tensor& x, Where where = Where::here());

extern const CompositeDef kMatrixTranspose;

}  // namespace weft
