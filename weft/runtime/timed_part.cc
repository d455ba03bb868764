// Times of parts within parts.
#include "weft/runtime/timed_part.h"

#include <algorithm>

namespace weft {
namespace {

// The row of an instruction, which a loop comes to many times. Rows outside of it stay where they
// are while it runs.
InstructionTime& row_of(InstructionTime& whole, const ir::Node& node) {
  const auto found = std::ranges::find(whole.inside, &node, &InstructionTime::node);
  if (found != whole.inside.end()) return *found;
  return whole.inside.emplace_back(
      InstructionTime{node.name, std::string(node.op->name), node.where, 0, 0, {}, &node});
}

}  // namespace

thread_local InstructionTime* TimedPart::running = nullptr;

TimedPart::TimedPart(InstructionTime& whole) { running = &whole; }
TimedPart::TimedPart(const ir::Node& node) { running = &row_of(*running, node); }

TimedPart::~TimedPart() {
  const std::chrono::nanoseconds time = std::chrono::steady_clock::now() - begin_;
  running->nanoseconds += time.count();
  ++running->count;
  running = outer_;
}

}  // namespace weft
