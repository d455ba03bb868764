// Tensors as text that reads back to the same bits: constants in the text of a graph.
#pragma once

#include <string>
#include <string_view>

#include "weft/core/tensor.h"

namespace weft {

// "f32[2] [1, 2.5]"; of many elements the bytes, "f32[1000] 0x0000803f...". An undefined tensor is
// "none".
void append_literal(std::string& out, const Tensor& tensor);

// Reads one at the beginning of `rest` and takes it off; raises [literal.parse] on anything else.
// Memory is asked for only once the text has been seen to hold that much.
Tensor parse_literal(std::string_view& rest);

// The same dtype, shape and bits.
bool are_equal_literals(const Tensor& a, const Tensor& b);

}  // namespace weft
