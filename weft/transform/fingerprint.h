// fingerprint: one hash of tensors, the same on every machine.
#pragma once

#include <string>

#include "weft/transform/tree.h"

namespace weft {

// 32 hexadecimal digits that depend on dtype, shape and bits of every tensor, and on their order:
// the first half of SHA-256 over "float32[2, 3]\n" and the row-major little-endian bytes of each.
std::string fingerprint_flat(TensorSpan tensors);

// Of a tree: of its leaves from left to right.
//   fingerprint(model) == fingerprint(loaded)
template <class T>
std::string fingerprint(const T& tree) {
  return fingerprint_flat(flattened(tree));
}

}  // namespace weft
