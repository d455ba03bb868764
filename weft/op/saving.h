// Ops that can give what their VJP needs of the forward pass: loops, choices, calls.
#pragma once

#include <optional>
#include <span>

#include "weft/op/op.h"

namespace weft {

// What a saving rule (GradRule::saving) is given.
struct SavingCall {
  const void* attrs;
  std::span<const bool> wanted;  // per input: will its gradient be asked for?
  TypeSpan types;                // of the inputs
};

// The attributes by which the op gives, behind its outputs, what its VJP needs; nothing if it has
// none such.
inline std::optional<AnyAttrs> saving_attrs(const OpDef& op, const SavingCall& call) {
  return op.grad.saving == nullptr ? std::nullopt : op.grad.saving(call);
}

}  // namespace weft
