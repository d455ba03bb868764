// check_plan: verifies the memory of a plan in tests, and finds dead memory to poison.
#pragma once

#include "weft/runtime/plan.h"

namespace weft {

// WEFT_CHECK_PLANS=1 in the environment: every plan is checked when it is made, and frames fill
// fresh and dead memory with kPoison.
bool checks_plans();

// Raises one of these errors, [plan.*], which name the values:
//   bounds    a value lies outside of the arena or of the value that it is a view of, or its slot
//             is not aligned
//   order     an instruction reads a value before the instruction that writes it
//   overlap   two values need the same bytes of the arena at the same time, and neither replaces
//             the other in place
//   in_place  an output replaces an input that it may not replace
//   escapes   a value that outlives the run is in the arena
//   variable  a new value of a Variable is written over an old one that is still read
// Lifetimes are computed from the operands of the instructions, not taken from the planner.
void check_plan(const RunPlan& plan);

// By instruction: the parts of the arena whose values no later instruction reads.
std::vector<std::vector<ArenaBlock>> dead_blocks(const RunPlan& plan);

// A NaN in every floating dtype, and far out of range as an index.
inline constexpr uint16_t kPoison = 0xFFFB;
void poison(char* data, int64_t bytes);

}  // namespace weft
