// Process replay: what every op writes into graphs, as texts and as the hashes that are kept of
// them.
#pragma once

#include <string>

namespace weft::suite {

// The content of tests/golden/replay.txt: a line an op, a hash for each form in which it is traced.
std::string replay_lines();
// The texts behind the line of one op; empty if no op of this name has samples.
std::string replay_texts(const std::string& op);

}  // namespace weft::suite
