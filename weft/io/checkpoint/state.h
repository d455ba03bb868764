// State: what an object is restored from: a tree of tensors, numbers and texts.
//
//   State state_dict() const { return State::dict({{"weight", weight}, {"steps", steps}}); }
//   void load_state_dict(const State& state) {
//     weight.assign(state.at("weight").tensor());
//     steps = state.at("steps").integer();
//   }
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "weft/io/save.h"
#include "weft/op/variable.h"

namespace weft {

class State {
 public:
  using List = std::vector<State>;
  using Dict = std::vector<std::pair<std::string, State>>;  // in the order it was made
  // What a language has and others lack, as a word and what it is made of: "tuple" and a list.
  struct Tagged;
  using Value = std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, Tensor,
                             List, Dict, Tagged>;  // uint64_t: only what int64_t cannot hold
  struct Tagged {
    std::string tag;
    std::vector<State> content;  // one
  };

  State() = default;                                        // nothing
  State(bool value) : value_(value) {}                      // NOLINT: 5 is a State
  State(int value) : value_(int64_t{value}) {}              // NOLINT
  State(int64_t value) : value_(value) {}                   // NOLINT
  State(uint64_t value);                                    // NOLINT
  State(double value) : value_(value) {}                    // NOLINT
  State(const char* value) : value_(std::string(value)) {}  // NOLINT
  State(std::string value) : value_(std::move(value)) {}    // NOLINT
  State(Tensor value) : value_(std::move(value)) {}         // NOLINT
  State(const Variable& value) : value_(value.value()) {}   // NOLINT
  State(const TensorDict& tensors);                         // NOLINT: of modules, optimizers, ...
  explicit State(List items) : value_(std::move(items)) {}
  explicit State(Tagged tagged) : value_(std::move(tagged)) {}
  static State dict(Dict members);
  static State list(List items) { return State(std::move(items)); }

  const Value& value() const { return value_; }
  // The member of a dict; raises [State.name] if there is none.
  const State& at(std::string_view name) const;
  const State* find(std::string_view name) const;  // null: there is none
  // These raise [State.kind] for anything else.
  const Tensor& tensor() const;
  int64_t integer() const;
  double number() const;  // integers too
  bool flag() const;
  const std::string& text() const;
  const List& items() const;
  const Dict& members() const;
  // A dict whose members are tensors.
  TensorDict tensors() const;

 private:
  template <class T>
  const T& as(std::string_view kind) const;
  Value value_;
};

}  // namespace weft
