// What to say of a name that weft does not have: where it is, what it is called, what to write.
#include <algorithm>

#include "bindings/dialect.h"
#include "bindings/name_words.h"
#include "weft/base/text.h"
#include "weft/op/registry.h"

namespace weft::python {
namespace {

std::string_view find(std::span<const Name> names, std::string_view name, bool& found) {
  for (const Name& known : names) {
    found = known.theirs == name;
    if (found) return known.instead;
  }
  return {};
}

// Parts of ops are not for users.
bool is_public(std::string_view name) {
  return !name.ends_with("_draws") && name.find('.') == std::string_view::npos;
}

std::string op_named(std::string_view name) {
  for (const OpEntry* entry : registered_ops()) {
    if (entry->name == name && is_public(name)) return "it is wf." + entry->qualified_name();
  }
  return {};
}

bool ends_with_name(std::string_view path, std::string_view name) {
  return path == name || (path.size() > name.size() && path.ends_with(name) &&
                          path[path.size() - name.size() - 1] == '.');
}

// "random.power" is a distribution: numpy.power is no answer to it.
bool may_be_meant(const OpEntry& entry, std::string_view path, std::string_view module) {
  if (module != "random" && module != "linalg" && module != "fft") return true;
  return entry.module == module || path.starts_with(text(module, ".")) ||
         path.find(text(".", module, ".")) != std::string_view::npos;
}

// An op that others know by the name, and who they are.
struct Known {
  const OpEntry* entry;
  std::string systems;
  std::string_view difference;
};

std::vector<Known> ops_known_as(std::string_view name, std::string_view module) {
  std::vector<Known> out;
  for (const OpEntry* entry : registered_ops()) {
    if (!is_public(entry->name)) continue;
    for (const Alias& alias : entry->known_as) {
      const std::string_view path = name_in(alias);
      if (!ends_with_name(path, name) || !may_be_meant(*entry, path, module)) continue;
      if (out.empty() || out.back().entry != entry) out.push_back({entry, "", ""});
      Known& known = out.back();
      known.systems += text(known.systems.empty() ? "" : ", ", alias.system);
      if (known.difference.empty()) known.difference = difference_of(alias);
    }
  }
  return out;
}

// "weft calls this permute_dims (numpy, jax, tf) or swapaxes (torch)"
std::string op_known_as(std::string_view name, std::string_view module) {
  constexpr size_t kMost = 4;
  const std::vector<Known> known = ops_known_as(name, module);
  if (known.empty()) return {};
  std::string out = "weft calls this ";
  if (known.size() == 1) {
    out += known[0].entry->qualified_name();
    return known[0].difference.empty() ? out : text(out, ": ", known[0].difference);
  }
  for (size_t i = 0; i < std::min(known.size(), kMost); ++i) {
    const bool is_last = i + 1 == std::min(known.size(), kMost);
    out += text(i == 0    ? ""
                : is_last ? " or "
                          : ", ",
                known[i].entry->qualified_name(), " (", known[i].systems, ")");
  }
  return out;
}

// x.add_(1). In a module only what is an op without the underscore: wf.ix_ is another thing.
std::string in_place(std::string_view name, bool of_tensor) {
  if (name.size() < 2 || !name.ends_with('_') || name.starts_with('_')) return {};
  const std::string_view base = name.substr(0, name.size() - 1);
  const std::vector<Known> known = ops_known_as(base, "");
  const std::string ours = find_op(base) != nullptr ? std::string(base)
                           : known.size() == 1      ? known[0].entry->qualified_name()
                                                    : std::string();
  if (ours.empty() && !of_tensor) return {};
  return text("tensors never change: write ",
              ours.empty() ? std::string("x = ...") : text("x = wf.", ours, "(x, ...)"),
              ", or keep it in a Variable, which has assign, assign_add and assign_sub");
}

}  // namespace

std::string_view name_in(const Alias& alias) { return alias.name.substr(0, alias.name.find(": ")); }

std::string_view difference_of(const Alias& alias) {
  const size_t end = alias.name.find(": ");
  return end == std::string_view::npos ? std::string_view() : alias.name.substr(end + 2);
}

std::string ambiguous_name_hint(std::string_view name, std::string_view module) {
  const bool is_named = module == "random" || module == "linalg" || module == "fft";
  for (const AmbiguousName& known : ambiguous_names()) {
    if (known.theirs == name && known.module == (is_named ? module : "")) {
      return std::string(known.instead);
    }
  }
  return {};
}

std::string name_hint(std::string_view name, std::string_view module, bool of_tensor) {
  if (std::string hint = ambiguous_name_hint(name, module); !hint.empty()) return hint;
  if (std::string hint = op_named(name); !hint.empty()) return hint;
  bool found = false;
  if (const std::string_view hint = find(names_done_otherwise(), name, found); found) {
    return std::string(hint);
  }
  if (std::string hint = op_known_as(name, module); !hint.empty()) return hint;
  if (const std::string_view hint = find(names_that_may_come(), name, found); found) {
    return text("weft does not have it yet", hint.empty() ? "" : "; ", hint);
  }
  return in_place(name, of_tensor);
}

}  // namespace weft::python
