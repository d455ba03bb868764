// What is in a state, by kind and by name.
#include "weft/io/checkpoint/state.h"

#include "weft/base/error.h"

namespace weft {
namespace {

constexpr std::string_view kKinds[] = {"nothing",  "a flag", "an integer", "an integer",
                                       "a number", "a text", "a tensor",   "a list",
                                       "a dict",   "tagged"};

}  // namespace

SavedState::SavedState(uint64_t value) {
  if (value <= INT64_MAX) {
    value_ = static_cast<int64_t>(value);
  } else {
    value_ = value;
  }
}

SavedState::SavedState(const TensorDict& tensors) {
  Dict members;
  for (const auto& [name, value] : tensors) members.emplace_back(name, value);
  value_ = std::move(members);
}

SavedState SavedState::dict(Dict members) {
  SavedState out;
  out.value_ = std::move(members);
  return out;
}

template <class T>
const T& SavedState::as(std::string_view kind) const {
  const T* const out = std::get_if<T>(&value_);
  if (out == nullptr) {
    fail(Code::kType, "SavedState", "kind", "is ", kKinds[value_.index()], ", but ", kind,
         " is asked for; the state is of another object, or of another version of it");
  }
  return *out;
}

const SavedState* SavedState::find(std::string_view name) const {
  for (const auto& [key, value] : members()) {
    if (key == name) return &value;
  }
  return nullptr;
}

const SavedState& SavedState::at(std::string_view name) const {
  const SavedState* const found = find(name);
  if (found == nullptr) {
    std::vector<std::string> names;
    for (const auto& [key, value] : members()) names.push_back(key);
    fail(Code::kInvalid, "SavedState", "name", "has no '", name, "'; it has ", names);
  }
  return *found;
}

const Tensor& SavedState::tensor() const { return as<Tensor>("a tensor"); }
int64_t SavedState::integer() const { return as<int64_t>("an integer"); }
double SavedState::number() const {
  if (const auto* const integer = std::get_if<int64_t>(&value_)) {
    return static_cast<double>(*integer);
  }
  return as<double>("a number");
}
bool SavedState::flag() const { return as<bool>("a flag"); }
const std::string& SavedState::text() const { return as<std::string>("a text"); }
const SavedState::List& SavedState::items() const { return as<List>("a list"); }
const SavedState::Dict& SavedState::members() const { return as<Dict>("a dict"); }

TensorDict SavedState::tensors() const {
  TensorDict out;
  for (const auto& [name, value] : members()) out.emplace(name, value.tensor());
  return out;
}

}  // namespace weft
