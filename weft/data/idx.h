// A source of bytes in the format of IDX as a tensor.
#pragma once

#include "weft/data/sources.h"

namespace weft::data {

// Raises [idx.file], which names the source.
Tensor parse_idx(const ByteSource& source);

}  // namespace weft::data
