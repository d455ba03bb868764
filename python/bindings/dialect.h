// Words of other libraries: what Weft calls them.
#pragma once

#include <string_view>

#include "bindings/python.h"

namespace weft::python {

// "dim" -> "axis"; the word itself if we know no other.
std::string_view our_word(std::string_view theirs);

// A sentence that helps with a name we do not have, or nothing: "weft calls this expand_dims".
std::string name_hint(std::string_view name);

}  // namespace weft::python
