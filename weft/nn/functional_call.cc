// Values in place of Variables.
#include "weft/nn/functional_call.h"

#include "weft/base/error.h"
#include "weft/op/hooks.h"

namespace weft::nn::detail {

void put_values(ModuleBase& module, const State& values) {
  const std::vector<Found> all = walked(module, /*need_all=*/true, /*is_repeated=*/true);
  std::map<const void*, Variable> given;  // a Variable that is held twice has one value
  std::string known;
  size_t met = 0;
  for (const Found& one : all) {
    if (one.place == nullptr) continue;
    known += text(known.empty() ? "" : ", ", one.name);
    const auto at = values.find(one.name);
    if (at == values.end()) continue;
    ++met;
    given[one.place->id()] = VariableHooks::reading(*one.place, at->second);
  }
  for (const auto& [name, value] : values) {
    if (met == values.size()) break;
    bool is_known = false;
    for (const Found& one : all) is_known |= one.place != nullptr && one.name == name;
    if (is_known) continue;
    fail(Code::kInvalid, "functional_call", "name", module.type_name(), " has no parameter '", name,
         "'; it has ", known);
  }
  for (const Found& one : all) {
    if (one.place == nullptr) continue;
    const auto at = given.find(one.place->id());
    if (at != given.end()) *one.place = at->second;
  }
}

}  // namespace weft::nn::detail
