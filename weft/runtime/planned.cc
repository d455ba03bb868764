// Looking at a run that was made ready.
#include "weft/runtime/planned.h"

#include "weft/base/error.h"
#include "weft/op/concrete_value.h"
#include "weft/op/levels.h"
#include "weft/op/scope.h"
#include "weft/runtime/executable.h"
#include "weft/runtime/plan.h"

namespace weft {

namespace {

Tensors values_of(Tensors arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].defined() && arguments[i].is_concrete()) continue;
    const std::string what = text("argument ", i);
    // A plan is for inspection, so no gradient can get lost.
    arguments[i] = concrete_value(
        arguments[i], {"plan", what, "plan a call with the whole batch", /*is_aside=*/true});
  }
  return arguments;
}

}  // namespace

Planned::Planned(Shared<const ir::Function> function, Tensors arguments)
    : function_(std::move(function)),
      arguments_(values_of(std::move(arguments))),
      plan_(executable_of(*function_).plan_for(arguments_)) {
  if (plan_ != nullptr) return;
  fail(Code::kInvalid, "plan", "arguments", "there is no plan for a language scalar; give tensors");
}

std::string Planned::text() const {
  static constexpr std::string_view kKinds[] = {"call", "map", "product", "compute", "open"};
  static constexpr std::string_view kHomes[] = {"arena", "parameter", "fresh", "held", "constant"};
  const ir::Graph& graph = plan_->function->graph;
  std::vector<bool> replaces(plan_->values.size(), false);
  for (const Stretch& stretch : plan_->stretches) {
    for (const Replaced& place : stretch.places) replaces[place.value] = true;
  }
  std::string out = weft::text("plan of @", plan_->function->name, ": ", plan_->instructions.size(),
                               " instructions, an arena of ", plan_->arena.bytes, " bytes\n");
  for (size_t i = 0; i < plan_->instructions.size(); ++i) {
    const Instruction& it = plan_->instructions[i];
    const ir::Node& node = graph.node(it.node);
    out += weft::text("  ", i, ' ', kKinds[static_cast<size_t>(it.kind)], ' ', node.op->name, " %",
                      node.name);
    for (uint32_t k = 0; k < it.outputs; ++k) {
      const PlannedValue& v = plan_->values[plan_->operands[it.first + k]];
      out +=
          weft::text(k == 0 ? " : " : ", ", v.is_open ? graph.value(node.outputs[k]).type : v.type,
                     " in ", kHomes[static_cast<size_t>(v.home)]);
      if (v.home == Home::kArena) out += weft::text(" at ", v.offset + v.shift);
      if (replaces[plan_->operands[it.first + k]]) out += " or in place";
    }
    out += '\n';
  }
  return out;
}

Profile Planned::profile(int64_t rounds) const {
  if (rounds < 1) {
    fail(Code::kInvalid, "profile", "rounds", "rounds is ", rounds, "; it is at least 1");
  }
  const OutsideLevels outside;
  return weft::profile(executable_of(*function_), arguments_, rounds);
}

}  // namespace weft
