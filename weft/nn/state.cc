// Loading what a module has saved.
#include "weft/nn/state.h"

#include "weft/base/error.h"
#include "weft/nn/module.h"
#include "weft/op/builtin.h"
#include "weft/op/levels.h"

namespace weft::nn {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += text(out.empty() ? "" : ", ", name);
  return out;
}

// Why a value cannot be assigned, or nothing. Dtypes may widen, never narrow.
std::string misfit(const Tensor& value, const Variable& variable) {
  if (same(value.shape(), variable.shape()) != Tri::kYes) {
    return text("its shape is ", value.shape(), ", but the module's is ", variable.shape());
  }
  const DType dtype = variable.dtype();
  if (value.dtype() != dtype && promote(value.dtype(), dtype) != dtype) {
    return text("its dtype is ", value.dtype(), ", but the module's is ", dtype);
  }
  return {};
}

// Makes the parameters of layers whose input size was left out, by the shapes of the state.
void complete_by(const State& state, ModuleBase& module) {
  for (const auto& [name, layer] : module.named_modules()) {
    if (!layer->is_pending()) continue;
    const std::string prefix = name.empty() ? "" : name + ".";
    State below;
    for (const auto& [key, value] : state) {
      if (key.starts_with(prefix)) below.emplace(key.substr(prefix.size()), value);
    }
    if (const std::optional<int64_t> size = layer->size_of(below)) layer->complete(*size);
  }
}

}  // namespace

void append_text(std::string& out, const LoadReport& report) {
  out += text("<", report.matched.size(), " matched");
  if (!report.missing.empty()) out += text("; missing: ", listed(report.missing));
  if (!report.unexpected.empty()) out += text("; unexpected: ", listed(report.unexpected));
  for (const auto& [name, why] : report.mismatched) out += text("; ", name, ": ", why);
  out += ">";
}

State ModuleBase::state_dict() const {
  State out;
  for (const detail::Found& one : detail::walked(*this, /*need_all=*/true)) {
    if (one.place != nullptr) out.emplace(one.name, one.place->value());
  }
  return out;
}

LoadReport ModuleBase::load_state_dict(const State& state, bool strict) {
  const NoGrad no_grad;
  complete_by(state, *this);
  LoadReport report;
  std::map<std::string, Variable> names;
  std::map<const void*, bool> is_there;  // a Variable that is held twice may have either name
  std::vector<std::pair<Variable, Tensor>> values;
  const std::vector<detail::Found> all = detail::walked(*this, true, /*is_repeated=*/true);
  for (const detail::Found& one : all) {
    if (one.place == nullptr) continue;
    names.emplace(one.name, *one.place);
    const auto at = state.find(one.name);
    if (at == state.end()) continue;
    is_there[one.place->id()] = true;
    std::string why = misfit(at->second, *one.place);
    if (!why.empty()) {
      report.mismatched.emplace(one.name, std::move(why));
      continue;
    }
    report.matched.push_back(one.name);
    values.emplace_back(*one.place, cast(at->second, one.place->dtype()));
  }
  for (const detail::Found& one : all) {
    if (one.place != nullptr && is_there.emplace(one.place->id(), true).second) {
      report.missing.push_back(one.name);
    }
  }
  for (const auto& [name, value] : state) {
    if (!names.contains(name)) report.unexpected.push_back(name);
  }
  if (strict && !report) {
    fail(Code::kInvalid, "load_state_dict", "match", "the state does not fit ", type_name(), ": ",
         report, "; with strict = false what matches is loaded");
  }
  for (const auto& [variable, value] : values) variable.assign(value);
  return report;
}

}  // namespace weft::nn
