// dead_code: leaves out nodes whose outputs nobody reads.
//
//   %a = exp(%x)            ->
//   %b = tanh(%x)                %b = tanh(%x)
//   return %b                    return %b
#include <algorithm>

#include "weft/compile/passes.h"
#include "weft/compile/rewrite.h"

namespace weft::compile {
namespace {

bool any_effect(const ir::Function& function) {
  const std::vector<ir::Node>& nodes = function.graph.nodes();
  return std::any_of(nodes.begin(), nodes.end(), has_effect);
}

}  // namespace

bool has_effect(const ir::Node& node) {
  if (node.op->effect != Effect::kNone && node.op->effect != Effect::kReads) return true;
  for (const FieldInfo& field : node.op->attrs->fields) {
    const void* const at = field.in(node.attributes());
    if (field.type == FieldType::kFunction) {
      const auto& function = *static_cast<const FunctionAttr*>(at);
      if (function != nullptr && any_effect(*function)) return true;
    } else if (field.type == FieldType::kFunctions) {
      for (const FunctionAttr& function : *static_cast<const FunctionsAttr*>(at)) {
        if (any_effect(*function)) return true;
      }
    }
  }
  return false;
}

bool is_pure(const ir::Node& node) {
  return node.op->effect != Effect::kReads && !has_effect(node);
}

FunctionPtr dead_code(const ir::Function& function) {
  const ir::Graph& graph = function.graph;
  std::vector<bool> is_read(graph.values().size(), false), runs(graph.nodes().size(), false);
  for (const ir::ValueId id : function.results) is_read[id] = true;
  for (auto id = static_cast<ir::NodeId>(graph.nodes().size()); id-- > 0;) {
    const ir::Node& node = graph.node(id);
    const bool is_needed = std::any_of(node.outputs.begin(), node.outputs.end(),
                                       [&](ir::ValueId output) { return is_read[output]; });
    runs[id] = runs[id] || is_needed || has_effect(node);
    if (!runs[id]) continue;
    for (const ir::ValueId input : node.inputs) {
      if (input != ir::kNone) is_read[input] = true;
    }
    for (const ir::NodeId earlier : node.after) runs[earlier] = true;
  }
  Rewrite out(function);
  for (ir::NodeId id = 0; id < graph.nodes().size(); ++id) {
    if (runs[id]) {
      out.copy(id);
    } else {
      out.leave_out(id);
    }
  }
  return out.finish();
}

}  // namespace weft::compile
