// Tables of names that other libraries have and weft has not, with what to write instead.
#pragma once

#include <span>
#include <string_view>

namespace weft::python {

struct Name {
  std::string_view theirs, instead;
};

// Names that mean one thing in one module and another elsewhere. `module` is where they were asked
// for: "" for the top level and for tensors.
struct AmbiguousName {
  std::string_view theirs, module, instead;
};
std::span<const AmbiguousName> ambiguous_names();

// Things that are done in another way here.
std::span<const Name> names_done_otherwise();

// Things that may come, and what to do until then; nothing where there is no short way. An op of
// the name, or one that is known_as it, goes before this table.
std::span<const Name> names_that_may_come();

}  // namespace weft::python
