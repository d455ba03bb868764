// What a plan does with time and memory, for people: a table, a picture, a trace.
#pragma once

#include <string>

#include "weft/ir/function.h"

namespace weft {

struct RunPlan;
class Executable;

struct InstructionTime {
  std::string name, op;
  Where where;
  int64_t nanoseconds = 0;  // of one run, in the mean
  int64_t count = 1;        // how often a run executes it, in the mean
  // What a loop, a branch or a call executes, in the order in which it first did.
  std::vector<InstructionTime> inside = {};
  const ir::Node* node = nullptr;  // tells it from others while it is timed
};

struct Profile {
  Shared<const RunPlan> plan;
  std::vector<InstructionTime> instructions;  // as in the plan
  int64_t rounds = 0;

  // Each op with its share of the time, the dearest first; below a loop or branch what is inside.
  std::string text() const;
};

// Runs the function on these arguments that often and takes the time of every instruction. Raises
// [profile.plan] if arguments like these have no plan.
Profile profile(const Executable& executable, TensorSpan arguments, int64_t rounds = 10);

// The arena over the run, as SVG: a box for each value, from the instruction that makes it to the
// last one that reads it, as high as its bytes.
std::string draw_memory(const RunPlan& plan);

// For chrome://tracing and Perfetto: the instructions, what is inside of them as one event for all
// times that it ran, and the bytes that live.
std::string chrome_trace(const Profile& profile);

// The bytes of the arena that are in use at each instruction.
std::vector<int64_t> live_bytes(const RunPlan& plan);

}  // namespace weft
