// Numbers that are watched: which way is better.
#pragma once

#include <string_view>

namespace weft::train {

// Is more better? `mode` is "min", "max", or "auto", which goes by words in the name: of loss,
// error, mse less is, of accuracy, f1, iou more. Raises [who.mode], also for a name that does not
// tell.
bool is_max_mode(std::string_view who, std::string_view monitor, std::string_view mode);

}  // namespace weft::train
