// linalg.cond: its documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

extern const CompositeDef kCond;

namespace linalg {
Tensor cond(const Tensor& x, Where where = Where::here());
}  // namespace linalg

}  // namespace weft
