// The words of other libraries for arguments; those for ops are in their definitions (known_as).
#include "bindings/dialect.h"

#include "weft/op/registry.h"

namespace weft::python {
namespace {

struct Word {
  std::string_view theirs, ours;
};
constexpr Word kWords[] = {
    {"dim", "axis"},         {"dims", "axes"},
    {"keepdim", "keepdims"}, {"keep_dims", "keepdims"},
    {"input", "x"},          {"tensor", "x"},
    {"tensors", "xs"},       {"arrays", "xs"},
    {"ddof", "correction"},  {"unbiased", "correction"},
    {"size", "shape"},       {"newshape", "shape"},
    {"perm", "axes"},        {"sections", "indices"},
    {"index", "indices"},    {"axis", "axes"},
    {"axes", "axis"},        {"repeats", "repeats"},
};

bool ends_with_name(std::string_view path, std::string_view name) {
  return path == name || (path.size() > name.size() && path.ends_with(name) &&
                          path[path.size() - name.size() - 1] == '.');
}

}  // namespace

std::string_view our_word(std::string_view theirs) {
  for (const Word& word : kWords) {
    if (word.theirs == theirs) return word.ours;
  }
  return theirs;
}

std::string name_hint(std::string_view name) {
  for (const OpEntry* entry : registered_ops()) {
    if (entry->name == name && !entry->module.empty()) return "it is wf." + entry->qualified_name();
    for (const Alias& alias : entry->known_as) {
      if (ends_with_name(alias.name, name) && entry->name != name) {
        return "weft calls this " + entry->qualified_name();
      }
    }
  }
  return {};
}

}  // namespace weft::python
