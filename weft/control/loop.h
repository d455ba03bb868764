// What the files of loops share.
#pragma once

#include "weft/control/ops.h"
#include "weft/op/batch.h"
#include "weft/trace/derived.h"

namespace weft {

// Row i of a stack: a view.
Tensor loop_row(const Tensor& x, int64_t i);

std::vector<Type> body_types(const ir::Function& body);

// One step if `goes_on`, or what is carried as it is: by switch, or by switch_lanes for a batch of
// `goes_on`. `types` are those of what the body is given.
Tensors step_or_stay(const OpDef& by, const FunctionAttr& body, size_t carries,
                     const Tensor& goes_on, TensorSpan given, TypeSpan types);
// The key of what is derived of a condition together with a body. Such a function holds the body,
// so that no other one is ever found by its address.
std::string loop_key(std::string_view kind, const FunctionAttr& body);

// A while loop over a batch: it goes on while any example does, and its body leaves finished
// examples as they are without computing them.
struct BatchedLoop {
  FunctionAttr cond, body;
  Tensors inputs;  // all with the batch axis in front
  BatchedLoop(const WhileAttrs& at, const BatchCtx& cx);
};

// The reverse pass of a loop: cotangents of its inputs from those of what it carried last.
// `saved`: the marks of its steps, then what was kept.
Tensors while_vjp(const WhileAttrs& at, TensorSpan cotangents, TensorSpan inputs, TensorSpan saved,
                  const Flags& wanted, Where where);

}  // namespace weft
