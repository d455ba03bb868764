// Variable: a place that holds a tensor. Tensors never change; Variables can be assigned to.
#pragma once

#include <string_view>

#include "weft/base/where.h"
#include "weft/core/tensor.h"

namespace weft {

struct GradNode;
struct VariableState;

struct VariableOptions {
  std::string_view name = "";
  bool trainable = true;  // followed by the tape, if the dtype has derivatives
};

// A handle: copies name the same place. It always has a value, except `grad()` of a Variable that
// no gradient has reached.
class Variable {
 public:
  Variable() = default;
  explicit Variable(const Tensor& value, VariableOptions options = {}, Where where = Where::here());

  bool defined() const { return state_.defined(); }
  std::string_view name() const;
  bool trainable() const;
  // False freezes it: from here on it is read as a constant, and True undoes that. What was
  // recorded before stays.
  void set_trainable(bool trainable) const;
  DType dtype() const;
  Shape shape() const;

  // The value, followed by the open tapes, or by the ambient one if none is open.
  Tensor read() const;
  operator Tensor() const { return read(); }  // NOLINT: usable wherever a Tensor is
  // Would read() give `held`, which was read before? Takes no lock; false if it is not sure.
  bool reads_as(const Tensor& held) const;
  // The value alone: nothing done with it is recorded. A traced function reads it in each call.
  Tensor value() const;

  // Stores a value of the same dtype and shape and cuts history: what was computed from the old
  // value keeps it. Under grad and jvp the primal is stored; a batched value raises.
  void assign(const Tensor& value, Where where = Where::here()) const;
  // Atomic; in the Variable's memory if nobody else holds the value.
  void assign_add(const Tensor& term, Where where = Where::here()) const;
  void assign_sub(const Tensor& term, Where where = Where::here()) const;
  void zero() const;

  // The accumulated gradient, a Variable itself; undefined until `backward` has reached this one.
  Variable grad() const;
  void clear_grad() const;
  void set_grad(const Tensor& gradient) const;  // in place of what was there

  bool same_place(const Variable& other) const { return state_.node() == other.state_.node(); }
  const void* id() const { return state_.node(); }

 private:
  friend void add_gradient(GradNode* leaf, const Tensor& gradient);
  friend struct VariableHooks;
  friend Tensor stored_value(const Variable& variable);
  friend class TakenValues;
  VariableState& state() const;
  Tensor state_;  // a handle to VariableState, never a value
};

// Adds what a sweep gathered for the leaf of a Variable to its gradient.
void add_gradient(GradNode* leaf, const Tensor& gradient);

}  // namespace weft
