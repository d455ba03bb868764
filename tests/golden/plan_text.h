// The text of a plan: where every value lies.
#pragma once

#include <string>

#include "weft/ir/function.h"

namespace weft::golden {

// Of a function whose parameters have known sizes.
std::string plan_text(const ir::Function& function);

}  // namespace weft::golden
