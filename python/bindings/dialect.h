// Words of other libraries: what Weft calls them.
#pragma once

#include <string_view>

#include "bindings/python.h"

namespace weft::python {

// Do other libraries call our argument `ours` so: "dim" for axis?
bool is_word_for(std::string_view theirs, std::string_view ours);

// A sentence about a keyword that no op has: "requires_grad", "out"; or nothing.
std::string_view keyword_hint(std::string_view name);

// A sentence that helps with a name we do not have, or nothing: "weft calls this expand_dims".
std::string name_hint(std::string_view name);

}  // namespace weft::python
