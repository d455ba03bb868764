// SavedState: what an object is restored from: a tree of tensors, numbers and texts.
//
//   SavedState state_dict() const {
//     return SavedState::dict({{"weight", weight}, {"steps", steps}});
//   }
//   void load_state_dict(const SavedState& state) {
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

class SavedState {
 public:
  using List = std::vector<SavedState>;
  using Dict = std::vector<std::pair<std::string, SavedState>>;  // in the order it was made
  // What a language has and others lack, as a word and what it is made of: "tuple" and a list.
  struct Tagged;
  using Value = std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, Tensor,
                             List, Dict, Tagged>;  // uint64_t: only what int64_t cannot hold
  struct Tagged {
    std::string tag;
    std::vector<SavedState> content;  // one
  };

  SavedState() = default;                                        // nothing
  SavedState(bool value) : value_(value) {}                      // NOLINT: 5 is a SavedState
  SavedState(int value) : value_(int64_t{value}) {}              // NOLINT
  SavedState(int64_t value) : value_(value) {}                   // NOLINT
  SavedState(uint64_t value);                                    // NOLINT
  SavedState(double value) : value_(value) {}                    // NOLINT
  SavedState(const char* value) : value_(std::string(value)) {}  // NOLINT
  SavedState(std::string value) : value_(std::move(value)) {}    // NOLINT
  SavedState(Tensor value) : value_(std::move(value)) {}         // NOLINT
  SavedState(const Variable& value) : value_(value.value()) {}   // NOLINT
  SavedState(const TensorDict& tensors);  // NOLINT: of modules, optimizers, ...
  explicit SavedState(List items) : value_(std::move(items)) {}
  explicit SavedState(Tagged tagged) : value_(std::move(tagged)) {}
  static SavedState dict(Dict members);
  static SavedState list(List items) { return SavedState(std::move(items)); }

  const Value& value() const { return value_; }
  // The member of a dict; raises [SavedState.name] if there is none.
  const SavedState& at(std::string_view name) const;
  const SavedState* find(std::string_view name) const;  // null: there is none
  // These raise [SavedState.kind] for anything else.
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
