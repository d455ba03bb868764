// How wide a text is in a drawing: the widths of Helvetica, and of the fonts made to its measures.
#pragma once

#include <string>
#include <string_view>

namespace weft {

// In pixels, for a font of `size` pixels. Letters beyond ASCII count as wide ones.
double text_width(std::string_view text, double size, bool is_bold = false);

// The text, with an ellipsis for its end if it would be wider than `most` pixels.
std::string shortened(std::string_view text, double size, double most, bool is_bold = false);

}  // namespace weft
