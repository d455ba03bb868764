// Process replay: what an op writes into graphs, as texts and as the hashes that are kept of them.
#pragma once

#include "tests/op_suite/checks.h"

namespace weft::suite {

// The op and its derivatives, traced for every sample; one text a form, empty where it has none.
struct ReplayForm {
  const char* name;
  std::string (*text)(const Case& c);
};
extern const std::span<const ReplayForm> kReplayForms;

// "exp 0f3a... 91bc... ...": a hash a form, as tests/golden/replay.txt keeps them.
std::string replay_line(const Case& c);

// What `op_suite --replay` prints: the lines of all ops; or, for one op, the texts behind its line.
std::string replay_lines();
std::string replay_texts(const std::string& op);

}  // namespace weft::suite
