// What the files of loops share.
#pragma once

#include "weft/control/ops.h"
#include "weft/op/batch.h"
#include "weft/trace/derived.h"

namespace weft {

// Row i of a stack: a view.
Tensor loop_row(const Tensor& x, int64_t i);

std::vector<Type> body_types(const ir::Function& body);

// A step for all examples of a batch: `body` for those that `takes_part` says, `idle` for the
// others. `types` are those of what one example is given.
FunctionAttr lanes_step(const FunctionAttr& takes_part, const FunctionAttr& body,
                        const FunctionAttr& idle, TypeSpan types, Dim size);

// A while loop over a batch: it goes on while any example does, and its body leaves finished
// examples as they are without computing them.
struct BatchedLoop {
  FunctionAttr cond, body;
  Tensors inputs;  // all with the batch axis in front
  BatchedLoop(const WhileAttrs& at, const BatchCtx& cx);
};

}  // namespace weft
