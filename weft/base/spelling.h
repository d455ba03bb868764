// What a misspelt name may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weft {

// "did you mean 'relu'?" of the known names that differ in a letter or two; nothing if none does.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> known);

}  // namespace weft
