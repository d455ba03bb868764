// The names of generated kernels: what kernelgen writes and what eager execution looks up.
#pragma once

#include <span>
#include <string>

#include "weft/op/registry.h"

namespace weft {

// Which inputs decide the kernel, and how they are named: one dtype for each group of inputs that
// can have several, joined by commas; the first input's dtype if none can. "f32", "f32,i32".
std::string kernel_dtypes(const OpEntry& op, std::span<const DType> inputs);

// "add/f32/cs": the op's qualified name, its dtypes, the variant.
std::string kernel_key(const OpEntry& op, std::span<const DType> inputs, std::string_view variant);
// "cast/f32>i8/c".
std::string cast_key(const OpEntry& op, DType from, DType to, std::string_view variant);
// "logaddexp.vjp/f32/w3": all operands of the derived op have one dtype and are contiguous.
std::string vjp_key(const OpEntry& of, DType dtype, uint32_t wanted);

}  // namespace weft
