// Group: parameters that share options, and the state of their updates. All of it is in Variables,
// so that a step can be part of a graph.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "weft/op/variable.h"

namespace weft {
class Staging;
}

namespace weft::optim {

// What a number may be.
enum class Range : uint8_t {
  kAny,
  kNotNegative,  // 0 or more
  kPositive,     // above 0
  kFraction,     // in [0, 1)
};

// A number that steps read, by name.
struct Option {
  std::string name;
  double value = 0;
  Range range = Range::kNotNegative;
};

// Parameters, with numbers of their own in place of the optimizer's.
struct ParamGroup {
  std::vector<Variable> parameters;
  std::vector<Option> options = {};
};

struct NamedVariable {
  std::string name;
  Variable variable;
};

class Group;

// State that every parameter has.
struct Slot {
  std::string name;
  // Its first value; null: zeros of the parameter's shape, in the dtype its arithmetic has: f32
  // for 16-bit floats, whose moments would stand still.
  std::function<Tensor(const Group& group, const Tensor& parameter)> initial = nullptr;
};

// What an optimizer is made of.
struct Form {
  std::string name;
  std::vector<Option> options;
  std::vector<Slot> slots = {};
  std::vector<Option> numbers = {};  // state of a whole group: NAdam's product
  bool maximize = false;
};

// The graph that is open on this thread; null: none, or a function inside of it is traced.
Staging* open_graph();

// The value a Variable has now; in a graph, when the graph runs.
Tensor now(const Variable& variable);

class Group {
 public:
  Group(const Form& form, const ParamGroup& given);

  const std::vector<Variable>& parameters() const { return parameters_; }
  const Variable& steps() const { return steps_; }  // int64
  const std::vector<NamedVariable>& options() const { return options_; }
  const std::vector<NamedVariable>& numbers() const { return numbers_; }
  // The Variables of a slot, as many as there are parameters.
  const std::vector<Variable>& slot(size_t slot) const { return slots_[slot]; }
  const Variable& slot(size_t slot, size_t parameter) const { return slots_[slot][parameter]; }

  // A number, by name: float64 of rank 0.
  const Variable& variable(std::string_view name) const;
  Tensor operator[](std::string_view name) const { return now(variable(name)); }
  double value(std::string_view name) const;
  // How many steps there were, as float64.
  Tensor t() const;

  // Parameters of one dtype, and what is updated of them: the parameters, then slot by slot.
  struct Part {
    DType dtype;
    std::vector<size_t> indices;
    std::vector<Variable> places;
  };
  const std::vector<Part>& parts() const { return parts_; }
  // The same group with some of its parameters only; numbers and slots are shared with this one.
  Group only(std::span<const size_t> chosen) const;

 private:
  void add_slots(const Form& form);
  void find_parts();

  std::string owner_;
  std::vector<Variable> parameters_;
  Variable steps_;
  std::vector<NamedVariable> options_, numbers_;
  std::vector<std::vector<Variable>> slots_;
  std::vector<Part> parts_;
};

// Raises `SGD: lr is -1; it is 0 or more [SGD.lr]`.
void check_option(std::string_view who, const Option& option);

}  // namespace weft::optim
