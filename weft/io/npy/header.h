// The header of an npy file, read.
#pragma once

#include "weft/io/npy/npy.h"

namespace weft::io {

struct NpyHeader {
  DType dtype = DType::kF32;
  bool is_swapped = false;  // the other order of bytes
  bool is_fortran = false;  // the first axis is the innermost
  std::vector<int64_t> sizes;
};
// What is left of the stream behind it are its elements, neither more nor fewer: [who.npy].
NpyHeader read_npy_header(ByteStream& from, std::string_view who);

// Elements as they were in the file, made those of this machine.
void make_native(std::span<std::byte> bytes, const NpyHeader& header);

// "f4" for float32; empty for what NumPy lacks.
std::string_view npy_name(DType dtype);

[[noreturn]] void fail_npy(const ByteStream& from, std::string_view who, std::string_view what);

}  // namespace weft::io
