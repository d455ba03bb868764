// linalg.multi_dot: its documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

extern const CompositeDef kMultiDot;

namespace linalg {
Tensor multi_dot(TensorSpan factors, Where where = Where::here());
}  // namespace linalg

}  // namespace weft
