// What det is made of: its value, and the cofactors that are its gradient.
#pragma once

#include "weft/op/op.h"

namespace weft {

extern const OpDef kDetValue, kDetCofactors;

}  // namespace weft
