// Tensors as text that reads back to the same bits: constants in the text of a graph.
#pragma once

#include <string>

#include "weft/base/text_cursor.h"
#include "weft/core/tensor.h"

namespace weft {

// "f32[2] [1, 2.5]", "c64[] [1-2j]"; of many elements the bytes, "f32[1000] 0x0000803f...". An
// undefined tensor is "none".
void append_literal(std::string& out, const Tensor& tensor);

// Reads one where the cursor stands, and raises on anything else. Memory is asked for only once the
// text has been seen to hold that much.
Tensor read_literal(TextCursor& cursor);

// The bytes of the elements in row-major order.
std::vector<std::byte> bytes_of(const Tensor& tensor);

// The same dtype, shape and bits.
bool are_equal_literals(const Tensor& a, const Tensor& b);

}  // namespace weft
