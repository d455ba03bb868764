// Errors of traced functions told as their calls would tell them: of numbers, where a trace has
// symbols.
#pragma once

#include "weft/base/error.h"
#include "weft/runtime/traced.h"

namespace weft {

// Is it the name of an op, or of a part of one? A refusal to trace comes from no op.
bool is_of_op(std::string_view who);
// Has an op found something wrong with its arguments?
bool is_of_arguments(const Error& error);
// Is it the sizes of the arguments that a trace does not run for, before anything of it has run?
bool are_sizes_wrong(const TraceEntry& entry, TensorSpan in);
// Is it so, of a trace in which another one with numbers for sizes could take its place?
bool fails_for_sizes(const TraceEntry& entry, TensorSpan in);
// Traces `f` with the sizes of a call in place of symbols, so that the op that was called finds
// what is wrong with them, and says it as it does without a trace. Returns if it does not.
void trace_with_sizes(FlatFunction f, const std::string& name, TensorSpan in);

}  // namespace weft
