// The step that all optimizers take, and their state by name.
#include "weft/optim/optimizer.h"

#include <algorithm>
#include <optional>

#include "weft/base/fail_at.h"
#include "weft/op/builtin.h"
#include "weft/op/levels.h"
#include "weft/op/variable_state.h"
#include "weft/trace/staging.h"
#include "weft/transform/adapt.h"
#include "weft/transform/tape.h"

namespace weft::optim {
namespace {

std::string named(const Variable& parameter) {
  return parameter.name().empty() ? "" : text(" ('", parameter.name(), "')");
}

const Group& group_at(const std::vector<Group>& groups, size_t number, std::string_view who) {
  if (number < groups.size()) return groups[number];
  fail(Code::kIndex, who, "group", "there is no group ", number, "; there are ", groups.size(),
       ", counted from 0");
}

// While it lives, nodes that are added to the graph have control dependencies on `nodes`.
class RunsAfter {
 public:
  RunsAfter(Staging& graph, const std::map<const void*, uint32_t>& nodes)
      : graph_(graph), outer_(graph.after) {
    for (const auto& [option, node] : nodes) graph.after.push_back(node);
  }
  ~RunsAfter() { graph_.after = outer_; }
  RunsAfter(const RunsAfter&) = delete;
  RunsAfter& operator=(const RunsAfter&) = delete;

 private:
  Staging& graph_;
  const ir::NodeIds outer_;
};

}  // namespace

Optimizer::Optimizer(Form form, const Parameters& parameters) : form_(std::move(form)) {
  if (parameters.groups.empty()) {
    fail(Code::kInvalid, "optim", "parameters", "there are no parameters to optimize");
  }
  for (const ParamGroup& group : parameters.groups) add_param_group(group);
}

void Optimizer::add_param_group(const ParamGroup& group) {
  if (group.parameters.empty()) {
    fail(Code::kInvalid, "optim", "parameters", "there are no parameters to optimize");
  }
  std::unordered_map<const void*, size_t> places = places_;
  for (size_t i = 0; i < group.parameters.size(); ++i) {
    const size_t place = parameters_.size() + i;
    check_new(group.parameters[i], place);
    const auto [earlier, is_new] = places.emplace(group.parameters[i].id(), place);
    if (is_new) continue;
    fail(Code::kInvalid, "optim", "twice", "parameters ", earlier->second, " and ", place,
         " are one Variable", named(group.parameters[i]),
         ", which would be updated twice a step; give each once");
  }
  groups_.emplace_back(form_, group);
  parameters_.insert(parameters_.end(), group.parameters.begin(), group.parameters.end());
  places_ = std::move(places);
}

void Optimizer::check_new(const Variable& parameter, size_t i) const {
  if (!parameter.defined()) {
    fail(Code::kType, "optim", "parameters", "parameter ", i, " is undefined");
  }
  const DType dtype = parameter.dtype();
  if (!is_differentiable(dtype)) {
    fail(Code::kType, "optim", "dtype", "parameter ", i, named(parameter), " has dtype ", dtype,
         ", which has no derivatives; make it of a floating dtype");
  }
  if (is_complex(dtype)) {
    fail(Code::kType, form_.name, "complex", "parameter ", i, named(parameter), " has dtype ",
         dtype, ", whose squares are no sizes; hold its real and imaginary parts in two Variables");
  }
}

void Optimizer::set_lr(double lr) {
  for (size_t i = 0; i < groups_.size(); ++i) set_option(i, "lr", lr);
}

void Optimizer::set_option(size_t group, std::string_view name, double value) {
  for (Option option : form_.options) {
    if (option.name != name) continue;
    option.value = value;
    check_option(form_.name, option);
  }
  const Variable& variable = group_at(groups_, group, form_.name).variable(name);
  variable.assign(Tensor::scalar(DType::kF64, value));
  run_before_steps(variable);
}

void Optimizer::set_option(size_t group, std::string_view name, const Tensor& value, Where where) {
  assign_option(group, name, value, where);
  run_before_steps(groups_[group].variable(name));
}

void Optimizer::assign_option(size_t group, std::string_view name, const Tensor& value,
                              Where where) {
  const NoGrad no_grad;
  group_at(groups_, group, form_.name)
      .variable(name)
      .assign(cast(value, DType::kF64, where), where);
}

// A session prunes a run to what its fetches need, and the read of an option does not depend on the
// assignment to it. So steps get control dependencies on the assignment.
void Optimizer::run_before_steps(const Variable& option) {
  const Staging* const graph = open_graph();
  if (graph == nullptr) return;
  const size_t last = graph->graph().nodes().size() - 1;
  set_in_graphs_[graph->id][option.id()] = static_cast<uint32_t>(last);
}

int64_t Optimizer::steps() const {
  int64_t most = 0;
  for (const Group& group : groups_) {
    most = std::max(most, stored_value(group.steps()).item_int());
  }
  return most;
}

std::vector<Variable> Optimizer::trained() const {
  std::vector<Variable> out;
  for (const Variable& parameter : parameters_) {
    if (parameter.trainable()) out.push_back(parameter);
  }
  return out;
}

void Optimizer::step(Where where) {
  if (staging_level() != nullptr) {
    fail_at(where, Code::kInvalid, "step", "traced",
            "gradients that backward leaves in Variables are no part of a graph; call "
            "minimize(loss), or apply_gradients with the gradients of value_and_grad, of a tape or "
            "of gradients()");
  }
  std::vector<Tensor> gradients;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].trainable()) {
      gradients.emplace_back();
      continue;
    }
    const Variable gradient = parameters_[i].grad();
    if (!gradient.defined()) {
      fail_at(where, Code::kInvalid, "step", "gradient", "parameter ", i, named(parameters_[i]),
              " has no gradient; call backward() on a loss that depends on it, or leave it out of "
              "the optimizer");
    }
    gradients.push_back(gradient.value());
  }
  apply_gradients(gradients, where);
}

void Optimizer::check_gradient(size_t i, const Tensor& gradient, Where where) const {
  const Variable& parameter = parameters_[i];
  if (!gradient.defined() && !parameter.trainable()) return;
  if (!gradient.defined()) {
    fail_at(where, Code::kInvalid, "apply_gradients", "gradient", "parameter ", i, named(parameter),
            " has no gradient; give one for each parameter");
  }
  const Tensor value = stored_value(parameter);
  if (gradient.dtype() != value.dtype() || same(gradient.shape(), value.shape()) == Tri::kNo) {
    fail_at(where, Code::kType, "apply_gradients", "type", "parameter ", i, named(parameter),
            " holds ", value.type(), " but its gradient is ", gradient.type(),
            "; a gradient has its dtype and shape");
  }
}

void Optimizer::apply_gradients(TensorSpan gradients, Where where) {
  if (gradients.size() != parameters_.size()) {
    fail_at(where, Code::kInvalid, "apply_gradients", "count", "there are ", gradients.size(),
            " gradients for ", parameters_.size(), " parameters; give one for each");
  }
  for (size_t i = 0; i < gradients.size(); ++i) check_gradient(i, gradients[i], where);
  const NoGrad no_grad;
  Staging* const graph = open_graph();
  const auto settings = graph == nullptr ? set_in_graphs_.end() : set_in_graphs_.find(graph->id);
  std::optional<RunsAfter> after;
  if (settings != set_in_graphs_.end()) after.emplace(*graph, settings->second);
  const Tensor one = Tensor::scalar(DType::kI64, 1);
  size_t first = 0;
  for (const Group& group : groups_) {
    const TensorSpan own = gradients.subspan(first, group.parameters().size());
    first += own.size();
    std::vector<size_t> chosen;
    for (size_t i = 0; i < own.size(); ++i) {
      if (group.parameters()[i].trainable()) chosen.push_back(i);
    }
    if (chosen.empty()) continue;
    group.steps().assign_add(one, where);
    if (chosen.size() == own.size()) {
      update(group, own, where);
      continue;
    }
    std::vector<Tensor> some;
    for (const size_t i : chosen) some.push_back(own[i]);
    update(group.only(chosen), some, where);
  }
}

void Optimizer::apply_gradients(std::span<const GradientOf> gradients, Where where) {
  std::vector<Tensor> in_order(parameters_.size());
  for (const auto& [gradient, variable] : gradients) {
    const auto place = variable.defined() ? places_.find(variable.id()) : places_.end();
    if (place == places_.end()) {
      fail_at(where, Code::kInvalid, "apply_gradients", "variable", "the Variable",
              variable.defined() ? named(variable) : " that is undefined",
              " is no parameter of this optimizer; give gradients of its parameters");
    }
    Tensor& own = in_order[place->second];
    if (own.defined()) {
      fail_at(where, Code::kInvalid, "apply_gradients", "twice", "there are two gradients for ",
              "parameter ", place->second, named(variable), "; add them up first");
    }
    own = gradient;
  }
  apply_gradients(in_order, where);
}

Tensor Optimizer::minimize(const std::function<Tensor()>& loss, Where where) {
  GradientTape tape({}, where);
  const Tensor value = loss();
  tape.stop();
  const std::vector<Variable> trained = this->trained();
  const std::vector<Tensor> gradients = tape.gradient(value, trained, where);
  std::vector<GradientOf> pairs;
  for (size_t i = 0; i < trained.size(); ++i) pairs.emplace_back(gradients[i], trained[i]);
  apply_gradients(pairs, where);
  return detach(value, where);
}

void Optimizer::zero_grad() {
  for (const Variable& parameter : parameters_) parameter.clear_grad();
}

std::vector<NamedVariable> Optimizer::state() const {
  std::vector<NamedVariable> out;
  size_t first = 0;
  for (size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    out.push_back({text("groups.", g, ".steps"), group.steps()});
    for (const std::vector<NamedVariable>* const list : {&group.options(), &group.numbers()}) {
      for (const NamedVariable& one : *list) {
        out.push_back({text("groups.", g, '.', one.name), one.variable});
      }
    }
    for (size_t k = 0; k < form_.slots.size(); ++k) {
      for (size_t i = 0; i < group.parameters().size(); ++i) {
        out.push_back({text("state.", first + i, '.', form_.slots[k].name), group.slot(k, i)});
      }
    }
    first += group.parameters().size();
  }
  return out;
}

StateDict Optimizer::state_dict() const { return values_of(state()); }

void Optimizer::load_state_dict(const StateDict& given, Where where) {
  const std::vector<NamedVariable> own = state();
  load_state(form_.name, own, given, where);
}

}  // namespace weft::optim
