// Pictures of functions, in files if wanted.
#pragma once

#include "weft/ir/function.h"

namespace weft {

// The picture as SVG, or as DOT if `path` ends in .dot; written to it, unless it is empty. Scopes
// deeper than `depth` are folded. Raises [draw.path] for a path of another kind.
std::string drawn(const ir::Function& function, const std::string& path, int depth);

}  // namespace weft
