// Functions that run again for their derivatives: what people see of them was shown the first time.
#pragma once

#include "weft/ir/function.h"

namespace weft {

// `f` without what it prints, in the functions it runs too; `f` itself if it prints nothing. Values
// keep their numbers. The rules of a custom call stay: derivatives run them for the first time.
FunctionAttr quiet(const FunctionAttr& f);

// Do traced functions that this thread calls print nothing? Gives whether they did not before.
bool set_quiet(bool is_quiet);
bool is_quiet();

}  // namespace weft
