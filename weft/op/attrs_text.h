// Attributes as part of a longer text.
#pragma once

#include "weft/base/text_cursor.h"
#include "weft/op/attrs.h"

namespace weft {

// Reads "axis=1, keepdims=true" up to a closing brace or the end, which it leaves; fields that are
// not there keep their defaults. Raises where the cursor stands.
AnyAttrs read_attrs(const AttrsType& type, TextCursor& cursor, AttrNames* names);

}  // namespace weft
