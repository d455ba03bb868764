// State by name: all of it fits, or nothing is changed.
#include "weft/optim/state.h"

#include "weft/base/fail_at.h"
#include "weft/op/variable_state.h"

namespace weft::optim {

StateDict values_of(std::span<const NamedVariable> own) {
  StateDict out;
  for (const NamedVariable& one : own) out[one.name] = stored_value(one.variable);
  return out;
}

void load_state(std::string_view who, std::span<const NamedVariable> own, const StateDict& given,
                Where where) {
  std::map<std::string_view, const NamedVariable*> places;
  for (const NamedVariable& one : own) places[one.name] = &one;
  for (const auto& [name, value] : given) {
    const auto place = places.find(name);
    if (place == places.end()) {
      fail_at(where, Code::kInvalid, "load_state_dict", "name", "there is a '", name,
              "', which this ", who, " does not have; load what was saved of one like it");
    }
    const Tensor old = stored_value(place->second->variable);
    if (!value.defined() || value.dtype() != old.dtype() ||
        same(value.shape(), old.shape()) != Tri::kYes) {
      fail_at(where, Code::kType, "load_state_dict", "type", "'", name, "' is ",
              value.defined() ? text(value.type()) : "undefined", " but this ", who, " holds ",
              old.type(), "; load what was saved of one like it");
    }
  }
  for (const NamedVariable& one : own) {
    if (given.contains(one.name)) continue;
    fail_at(where, Code::kInvalid, "load_state_dict", "missing", "there is no '", one.name,
            "', which this ", who, " has; load what was saved of one like it");
  }
  for (const auto& [name, value] : given) places.at(name)->variable.assign(value, where);
}

}  // namespace weft::optim
