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

// Names that are no ops anywhere: what to write instead.
constexpr Word kNames[] = {
    {"from_numpy", "use wf.asarray(array)"},
    {"as_tensor", "use wf.asarray(data)"},
    {"numel", "use x.size"},
    {"dim", "use x.ndim"},
    {"rank", "use x.ndim"},
    {"float", "use x.astype(wf.float32), or the dtype wf.float32"},
    {"double", "use x.astype(wf.float64), or the dtype wf.float64"},
    {"half", "use x.astype(wf.float16), or the dtype wf.float16"},
    {"long", "use x.astype(wf.int64), or the dtype wf.int64"},
    {"int", "use x.astype(wf.int32), or the dtype wf.int32"},
    {"cpu", "tensors are on the CPU"},
    {"cuda", "the only device is the CPU"},
    {"contiguous", "nothing needs it: ops take any strides"},
    {"clone", "tensors never change: use x itself"},
    {"copy", "tensors never change: use x itself"},
    {"manual_seed", "use wf.seed(value)"},
    {"set_seed", "use wf.seed(value)"},
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
  for (const Word& word : kNames) {
    if (word.theirs == name) return std::string(word.ours);
  }
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
