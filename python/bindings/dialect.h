// Words of other libraries: what Weft calls them.
#pragma once

#include <string_view>

#include "bindings/python.h"
#include "weft/op/op.h"

namespace weft::python {

// Do other libraries call our argument `ours` so: "dim" for axis?
bool is_word_for(std::string_view theirs, std::string_view ours);

// A sentence about a keyword that no op has: "requires_grad", "out"; or nothing.
std::string_view keyword_hint(std::string_view name);

// An alias is "name", or "name: what is otherwise here".
std::string_view name_in(const Alias& alias);
std::string_view difference_of(const Alias& alias);

// A sentence that helps with a name that a module ("", "random", ...) or a tensor does not have, or
// nothing: "weft calls this expand_dims".
std::string name_hint(std::string_view name, std::string_view module, bool of_tensor);
// The same of names with several meanings alone; they go before names of other modules.
std::string ambiguous_name_hint(std::string_view name, std::string_view module);

}  // namespace weft::python
