// Groups: options as scalars, slots as zeros, parameters by dtype.
#include "weft/optim/group.h"

#include <algorithm>

#include "weft/base/error.h"
#include "weft/op/builtin.h"
#include "weft/op/scope.h"
#include "weft/op/variable_state.h"
#include "weft/trace/staging.h"

namespace weft::optim {
namespace {

NamedVariable scalar(const Option& option) {
  return {option.name, Variable(Tensor::scalar(DType::kF64, option.value),
                                {.name = option.name, .trainable = false})};
}

const Option* find(const std::vector<Option>& options, std::string_view name) {
  const auto found = std::ranges::find(options, name, &Option::name);
  return found == options.end() ? nullptr : &*found;
}

std::string names_of(const std::vector<Option>& options) {
  std::string out;
  for (const Option& one : options) out += text(out.empty() ? "" : ", ", one.name);
  return out;
}

}  // namespace

void check_option(std::string_view who, const Option& option) {
  const double value = option.value;
  const auto require = [&](bool ok, std::string_view wanted) {
    if (!ok) {
      fail(Code::kInvalid, who, option.name, option.name, " is ", value, "; it is ", wanted);
    }
  };
  switch (option.range) {
    case Range::kAny: return require(value == value, "a number");
    case Range::kNotNegative: return require(value >= 0, "0 or more");
    case Range::kPositive: return require(value > 0, "above 0");
    case Range::kFraction: return require(value >= 0 && value < 1, "in [0, 1)");
  }
}

Staging* open_graph() {
  Staging* const staging = innermost_staging();
  return staging != nullptr && staging->kind() == Staging::Kind::kGraph ? staging : nullptr;
}

Tensor now(const Variable& variable) {
  return staging_level() != nullptr ? variable.read() : variable.value();
}

Group::Group(const Form& form, const ParamGroup& given)
    : owner_(form.name), parameters_(given.parameters) {
  for (const Option& own : given.options) {
    if (find(form.options, own.name) != nullptr) continue;
    fail(Code::kInvalid, owner_, "option", "has no option '", own.name, "'; it has ",
         names_of(form.options));
  }
  for (Option option : form.options) {
    if (const Option* const own = find(given.options, option.name)) option.value = own->value;
    check_option(owner_, option);
    options_.push_back(scalar(option));
  }
  for (const Option& number : form.numbers) numbers_.push_back(scalar(number));
  steps_ = Variable(Tensor::scalar(DType::kI64, 0), {.name = "steps", .trainable = false});
  add_slots(form);
  find_parts();
}

void Group::add_slots(const Form& form) {
  const ScopeIs now(nullptr);  // a graph that is open would compute them only when it runs
  for (const Slot& slot : form.slots) {
    std::vector<Variable>& list = slots_.emplace_back();
    for (const Variable& parameter : parameters_) {
      const Tensor value = stored_value(parameter);
      const Tensor initial = slot.initial != nullptr
                                 ? slot.initial(*this, value)
                                 : zeros(Shape(value.shape()), compute_of(value.dtype()));
      const std::string name =
          parameter.name().empty() ? slot.name : text(parameter.name(), '.', slot.name);
      list.emplace_back(initial, VariableOptions{.name = name, .trainable = false});
    }
  }
}

void Group::find_parts() {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const DType dtype = parameters_[i].dtype();
    auto part = std::ranges::find(parts_, dtype, &Part::dtype);
    if (part == parts_.end()) part = parts_.insert(parts_.end(), Part{dtype, {}, {}});
    part->indices.push_back(i);
  }
  for (Part& part : parts_) {
    for (const size_t i : part.indices) part.places.push_back(parameters_[i]);
    for (const std::vector<Variable>& slot : slots_) {
      for (const size_t i : part.indices) part.places.push_back(slot[i]);
    }
  }
}

Group Group::only(std::span<const size_t> chosen) const {
  const auto picked = [&](const std::vector<Variable>& list) {
    std::vector<Variable> out;
    for (const size_t i : chosen) out.push_back(list[i]);
    return out;
  };
  Group out = *this;
  out.parameters_ = picked(parameters_);
  for (std::vector<Variable>& slot : out.slots_) slot = picked(slot);
  out.parts_.clear();
  out.find_parts();
  return out;
}

const Variable& Group::variable(std::string_view name) const {
  for (const std::vector<NamedVariable>* const list : {&options_, &numbers_}) {
    for (const NamedVariable& one : *list) {
      if (one.name == name) return one.variable;
    }
  }
  fail(Code::kInvalid, owner_, "option", "has no option '", name, "'");
}

double Group::value(std::string_view name) const { return stored_value(variable(name)).item(); }

Tensor Group::t() const { return cast(now(steps_), DType::kF64); }

}  // namespace weft::optim
