// Planned: a run that was made ready, to be looked at.
//
//   const Planned plan = session.plan({loss}, {{x, batch}});
//   write(plan.draw());            // the arena over the run, an SVG
//   print(plan.profile().text());  // which op takes how long
#pragma once

#include "weft/runtime/profile.h"

namespace weft {

class Planned {
 public:
  // A function on these arguments. Raises [plan.arguments] if there is no plan for such.
  Planned(Shared<const ir::Function> function, Tensors arguments);

  const RunPlan& plan() const { return *plan_; }
  // The instructions, one a line: what runs, on which types, where its results are.
  std::string text() const;
  // The arena over the run, as SVG.
  std::string draw() const { return draw_memory(*plan_); }
  // Runs it that often and takes the time of every instruction. What it does to Variables is done.
  Profile profile(int64_t rounds = 10) const;

 private:
  Shared<const ir::Function> function_;
  Tensors arguments_;
  Shared<const RunPlan> plan_;
};

}  // namespace weft
