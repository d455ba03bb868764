// Texts with values in them, for what is printed and said when a graph runs.
#pragma once

#include <string>
#include <string_view>

#include "weft/core/tensor.h"

namespace weft {

// A text in the grammar of Python's str.format with the values in it: {} stands for the next one,
// {:.2f} for a number in that format, {!s:>9} for its text in it, {!n} for what Python would write
// of a number; {{ and }} are braces.
std::string filled_text(std::string_view pattern, TensorSpan values);

// The same with each value as its text, whatever its format, and `placeholder` in its place.
std::string text_with(std::string_view pattern, std::string_view placeholder);

// One number in a format of Python's: fill, alignment, sign, width, grouping, precision, type.
std::string formatted_number(const Tensor& number, std::string_view format);

}  // namespace weft
