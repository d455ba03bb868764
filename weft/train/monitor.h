// Numbers that are watched: which way is better.
#pragma once

#include <string_view>

namespace weft::train {

// Is more better? `mode` is "min", "max", or "auto", which goes by the name: of accuracy,
// precision, recall, f1, auc and r2 more is. Raises [who.mode].
bool is_max_mode(std::string_view who, std::string_view monitor, std::string_view mode);

}  // namespace weft::train
