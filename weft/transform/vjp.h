// Reverse mode on functions over flat lists of tensors.
#pragma once

#include "weft/base/function_ref.h"
#include "weft/op/record.h"

namespace weft {

using FlatFunction = FunctionRef<Tensors(TensorSpan)>;

// What to do about an input that the output does not depend on.
enum class Unconnected : uint8_t { kRaise, kZero, kNone };

// A level that records what is done with its leaves.
class GradLevel : public Level {
 public:
  explicit GradLevel(bool is_tape = false) : Level(next_level_id(is_tape)) {}
  Tensors interpret(const OpDef& op, TensorSpan in, const void* attrs, Where where) override {
    return grad_step(id, op, in, attrs, where);
  }
};

// A function's value, and its records: linear maps in both directions, which may run many times.
class Linearization {
 public:
  // `who` speaks in errors.
  Linearization(FlatFunction f, TensorSpan in, Where where, std::string_view who = "grad");

  const Tensors& outputs() const { return values_; }
  // One cotangent per output, undefined for zero; one gradient per input, undefined if no path
  // leads there. `last`: records are freed on the way.
  Tensors pull(TensorSpan cotangents, bool last = false) const;
  // The same with sums that the gradients begin with: one per input, undefined for nothing, or none
  // at all.
  Tensors pull_onto(TensorSpan sums, TensorSpan cotangents, bool last = false) const;
  // One tangent per input, undefined for zero; one tangent per output.
  Tensors push(TensorSpan tangents) const;
  // The record of an op that is not linear in the inputs, or null: of a map that should be linear.
  // Elementwise ops and products are judged; those with rules of their own count as linear.
  GradNode* first_nonlinear() const;
  // Why input i has no gradient, for messages.
  std::string why_unconnected(size_t input) const;

 private:
  uint32_t level_;
  Tensors leaves_, outputs_;  // of the level
  Tensors values_;            // the outputs below it
};

// The gradients, or what `unconnected` says about those that do not exist.
Tensors connected(const Linearization& f, Tensors gradients, TensorSpan like,
                  Unconnected unconnected, std::string_view who, Where where);

// The value of a function that gives one scalar, and its gradients.
struct ValueAndGrad {
  Tensor value;
  Tensors gradients;
};
ValueAndGrad value_and_grad_flat(FlatFunction f, TensorSpan in, Unconnected unconnected,
                                 Where where);

// Raises unless input i can be differentiated with respect to.
// Raises if a function gives an undefined tensor.
void check_outputs(TensorSpan outputs, std::string_view who);
void check_input(const Tensor& input, size_t i, std::string_view who, Where where);
// The values, with zeros like the others for those that are undefined.
Tensors with_zeros(Tensors values, TensorSpan like, Where where);

}  // namespace weft
