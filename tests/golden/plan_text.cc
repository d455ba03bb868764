// The text of a plan: where every value lies.
#include "tests/golden/plan_text.h"

#include "weft/base/text.h"
#include "weft/op/builtin.h"
#include "weft/runtime/plan.h"

namespace weft::golden {
namespace {

std::string place_of(const RunPlan& plan, ir::ValueId id) {
  const PlannedValue& value = plan.values[id];
  if (value.root != id) return text("shows %", plan.function->graph.name_of(value.root));
  switch (value.home) {
    case Home::kArena:
      return text("bytes ", value.offset, " to ", value.offset + value.bytes(),
                  value.shares ? ", in place" : "");
    case Home::kParameter: return "given";
    case Home::kFresh: return "new in each run";
    case Home::kHeld: return "held by an op";
    case Home::kConstant: return "constant";
  }
  return "";
}

}  // namespace

std::string plan_text(const ir::Function& function) {
  Tensors arguments;
  for (const ir::ValueId id : function.graph.parameters()) {
    const Type& type = function.graph.value(id).type;
    arguments.push_back(zeros(type.shape, type.dtype));
  }
  const Shared<const RunPlan> plan = make_plan(function, arguments);
  std::string out =
      text("arena of ", plan->arena.bytes, " bytes, ", plan->arena.lower_bound, " at least\n");
  for (const ir::Node& node : function.graph.nodes()) {
    for (const ir::ValueId id : node.outputs) {
      out += text("  %", function.graph.name_of(id), " = ", node.op->name, ": ",
                  place_of(*plan, id), "\n");
    }
  }
  return out;
}

}  // namespace weft::golden
