// What argmax and argmin share: a reduction with two states, the value and its index.
#pragma once

#include "weft/ops/reduce/reduce.h"

namespace weft {

Types arg_infer(const ArgAttrs& at, const InferCtx& cx, TypeSpan in);
Tensors arg_batched(const OpDef& op, const ArgAttrs& at, const BatchCtx& cx);

DType arg_value_dtype(DType x);
void arg_map(Expr x, Expr index, Expr* state);
// `b_wins`: the value of b beats that of a (false for NaN).
void arg_combine(const Expr* a, const Expr* b, Expr b_wins, Expr* out);
void arg_identity(Expr value, Expr* state);

}  // namespace weft
