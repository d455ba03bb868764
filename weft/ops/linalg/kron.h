// kron: its documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

Tensor kron(const Tensor& a, const Tensor& b, Where where = Where::here());

extern const CompositeDef kKron;

}  // namespace weft
