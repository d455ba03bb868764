// Optimizer: updates Variables by gradients, eagerly or as part of a graph or a traced function.
//
//     optim::AdamW optimizer(parameters, {.lr = 1e-3});
//     const auto train = function([&](const Tensor& x) {
//       return optimizer.minimize([&] { return loss_of(x); });
//     });
#pragma once

#include <functional>
#include <map>
#include <unordered_map>

#include "weft/optim/state.h"

namespace weft::optim {

// A list of Variables, or groups of them.
struct Parameters {
  std::vector<ParamGroup> groups;

  Parameters(std::vector<Variable> list) { groups.push_back({std::move(list)}); }  // NOLINT
  Parameters(std::initializer_list<Variable> list)                                 // NOLINT
      : Parameters(std::vector<Variable>(list)) {}
  Parameters(std::vector<ParamGroup> given) : groups(std::move(given)) {}  // NOLINT
};

// A gradient and the Variable it belongs to.
using GradientOf = std::pair<Tensor, Variable>;

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  const std::string& name() const { return form_.name; }
  const std::vector<Variable>& parameters() const { return parameters_; }  // of all groups
  const std::vector<Group>& groups() const { return groups_; }
  void add_param_group(const ParamGroup& group);
  // Updates so far. A group counts those in which it had a parameter that was not frozen.
  int64_t steps() const;

  // The learning rate, which is a Variable: to change it traces nothing again. Of several groups
  // the first has the one that is read; all are set. In a graph that is open, each run of the steps
  // that are added to it later sets the option first.
  double lr() const { return groups_[0].value("lr"); }
  void set_lr(double lr);
  void set_option(size_t group, std::string_view name, double value);
  // The same by a value that may be part of a graph.
  void set_option(size_t group, std::string_view name, const Tensor& value, Where where);

  // One update of every parameter by the gradients that backward left there; raises, before any is
  // changed, if one has none. Frozen parameters, which are not trainable, stay as they are with
  // their state, here and below.
  void step(Where where = Where::here());
  // The same by gradients that are given, one for each parameter.
  void apply_gradients(TensorSpan gradients, Where where = Where::here());
  // In any order.
  void apply_gradients(std::span<const GradientOf> gradients, Where where = Where::here());
  // A step by the gradients of what `loss` gives, which it returns.
  Tensor minimize(const std::function<Tensor()>& loss, Where where = Where::here());
  void zero_grad();  // forgets the gradients

  // All that a run needs to go on as if it had not been interrupted, by names such as
  // "groups.0.lr", "groups.0.steps" and "state.3.mean", parameters counted over all groups.
  std::vector<NamedVariable> state() const;
  virtual StateDict state_dict() const;
  // Raises, before anything is changed, if a name, dtype or shape does not fit.
  virtual void load_state_dict(const StateDict& state, Where where = Where::here());

 protected:
  Optimizer(Form form, const Parameters& parameters);

  const Form& form() const { return form_; }
  // 1, or -1 to climb: what gradients are multiplied by.
  Tensor scale() const { return Tensor::scalar(DType::kF64, form_.maximize ? -1 : 1); }
  // The parameters that are not frozen.
  std::vector<Variable> trained() const;
  // Updates the parameters of a group, of those that are not frozen, whose steps are counted
  // already.
  virtual void update(const Group& group, TensorSpan gradients, Where where) = 0;

 private:
  void check_new(const Variable& parameter, size_t i) const;
  void check_gradient(size_t i, const Tensor& gradient, Where where) const;
  friend class Schedule;
  friend class Plateau;
  // Only assigns; in a graph, adds the assignment without run_before_steps.
  void assign_option(size_t group, std::string_view name, const Tensor& value, Where where);
  // Steps that are added to the open graph from now on run after the last assignment to `option`.
  void run_before_steps(const Variable& option);

  const Form form_;
  std::vector<Group> groups_;
  std::vector<Variable> parameters_;
  std::unordered_map<const void*, size_t> places_;  // of Variables among the parameters
  // By graph (its level id) and option: the node of the last assignment.
  std::unordered_map<uint32_t, std::map<const void*, uint32_t>> set_in_graphs_;
};

}  // namespace weft::optim
