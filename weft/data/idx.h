// The bytes of an IDX file as a tensor.
#pragma once

#include "weft/data/sources.h"

namespace weft::data {

// Raises [idx.file], which names the path.
Tensor parse_idx(std::string_view bytes, const std::string& path);

}  // namespace weft::data
