// Sizes as text: n, 2*n+1, floor((n+1)/2), max(a,b), ?found.3.
#pragma once

#include "weft/base/text_cursor.h"
#include "weft/core/dim.h"

namespace weft {

// Reads a size where the cursor stands, and raises if there is none. What is longer than some
// thousand characters is none: a text must not make the table of sizes grow beyond its own length.
Dim read_dim(TextCursor& cursor);

}  // namespace weft
