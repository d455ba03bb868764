// check_laws: checks an op's laws on the types of its inputs, before its batching rule or trace.
#pragma once

#include "weft/op/op.h"

namespace weft {

// Are there symbols among the sizes?
bool has_symbols(TypeSpan types);

// Raises if inputs of these types, as prepared by promotion, violate a law of the op. Symbols have
// the sizes of the traced call, if there is one; a symbol without a size violates no law that some
// size satisfies. The trace records assumptions about sizes only if this raises.
void check_laws(const OpDef& op, const void* attrs, TypeSpan types);

}  // namespace weft
