// Npz: several arrays in NumPy's format, a zip archive of npy files.
#pragma once

#include "weft/io/tensors.h"

namespace weft::io {

void write_npz(ByteSink& to, const NamedTensors& tensors, bool is_compressed,
               std::string_view who = "save");

// The arrays of these names, as far as it has them, in the order of the file; without names all.
// Raises Error{kIo} [who.npz] for what is no such file.
NamedTensors read_npz(const ByteSource& source, Names names = std::nullopt,
                      std::string_view who = "load");

}  // namespace weft::io
