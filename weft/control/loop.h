// What the files of loops share.
#pragma once

#include "weft/control/ops.h"
#include "weft/op/batch.h"
#include "weft/trace/derived.h"

namespace weft {

// Row i of a stack: a view.
Tensor loop_row(const Tensor& x, int64_t i);

std::vector<Type> body_types(const ir::Function& body);

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
