// One call of a custom function: its passes as graphs trace them.
#pragma once

#include "weft/base/function_ref.h"
#include "weft/transform/custom.h"

namespace weft {

// The forward pass runs once, at the bottom; every level above shares what it saved.
struct CustomCall {
  Shared<const CustomRules> rules;
  CustomContext context;
  // Where each saved tensor comes from: an input, an output (counted behind the inputs), or -1.
  std::vector<int> sources;

  // Computes now; followed values must not have come in beside the arguments.
  Tensors forward(TensorSpan in);
  // The context as a level sees it: saved inputs and outputs are those of the level below.
  CustomContext seen_from(const GradCtx& cx) const;
  // Of one example, for levels that record the whole batch: where saved tensors come from is
  // the same for all.
  void take_context(const CustomCall& example);

  // The forward pass on values of a graph: the outputs, then what was saved that is neither an
  // input nor an output.
  Tensors traced_forward(TensorSpan in);
  // From here on those stand for what was saved so.
  void set_saved(TensorSpan others);
  // The same call without what it saved: for a graph, of which those would be values.
  CustomCall without_values() const;

  // The rules of a call for all examples of a batch, which runs the passes of `example` on batched
  // values. Afterwards levels above the batch go on with what it saved, which that level wraps.
  static Shared<const CustomRules> rules_of_batch(const Shared<CustomCall>& example,
                                                  const BatchCtx& cx);
  void take_batch(const CustomCall& example, const CustomCall& whole);
  void wrap_saved(FunctionRef<Tensor(const Tensor&)> wrap);

  // The rules, checked: one cotangent per input, or one tangent per output.
  Tensors backward(const GradCtx& cx, TensorSpan cotangents) const;
  Tensors jvp(const GradCtx& cx, TensorSpan tangents) const;

 private:
  Tensors forward_of_batch(CustomContext& whole, TensorSpan in,
                           FunctionRef<Tensors(FlatFunction)> run);
  Tensors backward_of_example(const CustomContext& whole, TensorSpan saved, TensorSpan cotangents,
                              TypeSpan inputs, Where where) const;
};

// The call that an op with these attributes is; null: it is another op.
Shared<CustomCall> custom_call_of(const OpDef& op, const void* attrs);

// What a backward pass gives must fit the inputs, one for each.
void check_gradients(const CustomRules& rules, Tensors& given, TypeSpan inputs, Where where);

// Of a function that reads a followed value beside its arguments, whose gradient would be lost.
[[noreturn]] void fail_closure(std::string_view name);

// A linear map, to be transposed: recorded at 0.
Linearization linear_map(FlatFunction linear, TensorSpan like, Where where);
// Raises [name.linear] unless a tangent rule is linear: at 0 one that squares its tangents, say,
// would give a gradient of 0.
void require_linear(const Linearization& rule, std::string_view name);

}  // namespace weft
