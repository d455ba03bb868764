// linalg.cond: its documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

extern const OpDef kInvOrZero;
extern const CompositeDef kCond;

namespace linalg {
// `p` as in matrix_norm.
Tensor cond(const Tensor& x, const std::string& p = "2", Where where = Where::here());
}  // namespace linalg

}  // namespace weft
