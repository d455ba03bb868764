// docs/ops.md: one row an op, one column an aspect, no blank cell without its reason.
#pragma once

#include <string>

namespace weft::suite {

std::string ops_markdown();

}  // namespace weft::suite
