// What switch and switch_lanes share: which branch a number takes, and the rules of derivatives.
#pragma once

#include "weft/base/function_ref.h"
#include "weft/control/ops.h"
#include "weft/op/saving.h"

namespace weft {

// The branch that `index` takes of `count`: the last one if there is none of that number.
constexpr int64_t branch_taken(int64_t index, int64_t count) {
  return index < 0 || index >= count ? count - 1 : index;
}

// Raises [op.saves_of] unless the branches may be what `saves_of` and `wanted` say.
void require_saves(const SwitchAttrs& at, size_t operands, const InferCtx& cx);

// The same choice, by `op`, among functions made of the branches.
Tensors chosen(const OpDef& op, const SwitchAttrs& at,
               FunctionRef<FunctionAttr(const FunctionAttr&)> make, const Tensor& index,
               TensorSpan operands, Where where);

// `operands` are the types that a branch is given, in all of these.
std::optional<AnyAttrs> switch_saving(const OpDef& op, const SavingCall& call, TypeSpan operands);
Tensors switch_vjp(const OpDef& op, const SwitchAttrs& at, const GradCtx& cx, TypeSpan operands,
                   TensorSpan g);
Tensors switch_jvp(const OpDef& op, const SwitchAttrs& at, const GradCtx& cx, TypeSpan operands,
                   TensorSpan tangents);

}  // namespace weft
