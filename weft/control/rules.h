// What the rules of all ops with functions have in common.
#pragma once

#include "weft/op/batch.h"
#include "weft/op/grad.h"
#include "weft/op/per_example.h"
#include "weft/trace/derived.h"

namespace weft {

// Inputs that can have a cotangent and whose is asked for, from `first` on.
Flags wanted_flags(const GradCtx& cx, size_t first = 0);

// The sums that a rule goes on with, as flags per input from `first` on, and those sums.
Flags begun_flags(const GradCtx& cx, size_t first = 0);
Tensors begun_sums(const GradCtx& cx);
// The sum of input i, zeros if there is none.
Tensor sum_or_zeros(const GradCtx& cx, size_t i);
// The sum of input i with a term that was made without it.
Tensor added_to_sum(const GradCtx& cx, size_t i, const Tensor& term);

// Flags as the list of the places that are flagged, which an attribute can hold, and back.
Ints places_of(const Flags& flags);
Flags flags_of(const Ints& places, size_t count);
void require_places(const Ints& places, size_t count, const InferCtx& cx);  // [op.wanted]

// The cotangents of those results that have any, zeros for those that are zero.
Tensors filled_cotangents(const GradCtx& cx, TensorSpan cotangents);

// One cotangent per input from the short list of those that are wanted.
Tensors spread(TensorSpan values, const Flags& flags, size_t first = 0);

// The tangents that are there, and which those are.
Flags active_flags(TensorSpan tangents, size_t first = 0);
Tensors defined_only(TensorSpan tangents, size_t first = 0);
// Of what a jvp_of gives, values and then tangents: a tangent for each output, if it can have one.
Tensors tangents_behind(TensorSpan all, TensorSpan outputs);

// The inputs of a loop with their tangents behind them, part by part: what forward mode carries.
class WithTangents {
 public:
  // All of the first `carries` inputs that can have tangents get one; others if they have one.
  WithTangents(const GradCtx& cx, TensorSpan tangents, size_t carries);

  // The inputs from `first` to `last` come next. Gives how many values and tangents those are.
  size_t add(size_t first, size_t last);

  const Flags& active() const { return active_; }
  const Tensors& inputs() const { return inputs_; }
  // The parameters of a function of them, which computes with `body`.
  std::vector<Type> parameters(const ir::Function& body) const;
  // What such a function is given, as the inputs of the loop, and then the tangents.
  Tensors values(TensorSpan given) const;
  Tensors values_and_tangents(TensorSpan given) const;

 private:
  const GradCtx& cx_;
  const TensorSpan tangents_;
  Flags active_;
  std::vector<size_t> order_;  // a value by its place, a tangent by its place behind all values
  Tensors inputs_;
};

// The results of branches, which are of the same types; raises [op.results].
Types branch_types(const FunctionsAttr& branches, const InferCtx& cx, TypeSpan operands);
// Raises unless the condition gives one bool and the body values of the types it is given.
void require_loop(const FunctionAttr& cond, const FunctionAttr& body, size_t carries,
                  const InferCtx& cx, TypeSpan in);

}  // namespace weft
