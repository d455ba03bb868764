// What holds for a whole pipeline: the bytes that its buffers may hold.
#pragma once

#include "weft/data/node.h"

namespace weft::data {

// As with_options says, the outermost first; without it half of the memory limit.
int64_t budget_of(const Node& node);

// A positive number, or Error{kInvalid}: `batch: size is 0; it is 1 or more [batch.size]`.
void require_positive(std::string_view who, std::string_view name, int64_t value);

}  // namespace weft::data
