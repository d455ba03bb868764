// Graphs that people build: placeholders, and the part of one that a run needs.
#include "weft/runtime/graph.h"

#include "weft/base/error.h"
#include "weft/base/fail_at.h"
#include "weft/control/ops.h"
#include "weft/ir/print.h"
#include "weft/op/apply.h"
#include "weft/state/state.h"

namespace weft {

Graph::Graph() : staging_(Staging::open(Staging::Kind::kGraph, /*stands_alone=*/true)) {
  register_control_ops();
}

Tensor Graph::placeholder(DType dtype, const Shape& shape, std::string_view name,
                          Where where) const {
  const PlaceholderAttrs attrs{dtype, shape};
  const std::string full =
      weft::text(staging_->scope, name.empty() ? std::string_view("Placeholder") : name);
  const ir::NodeId node = staging_->graph().add(
      kPlaceholder, {}, ir::keep(*kPlaceholder.attrs, &attrs), {Type{dtype, shape}},
      {.name = full, .where = where, .device = staging_->device});
  return staging_->tensor_of(staging_->graph().node(node).outputs[0]);
}

Tensor Graph::assign_sub(const Variable& variable, const Tensor& term, Where where) const {
  const Scope scope(*this);
  variable.assign_sub(term, where);
  return staging_->tensor_of(staging_->graph().nodes().back().outputs[0]);
}

Shared<const ir::Function> Graph::function() const {
  auto all = new_shared<ir::Function>();
  all->name = "graph";
  all->graph = staging_->graph();
  all->assumptions = staging_->assumptions();
  return all;
}

std::string Graph::text() const { return ir::to_text(*function()); }

Shared<const ir::Function> pruned(const ir::Graph& graph, std::span<const ir::ValueId> fed,
                                  std::span<const ir::ValueId> results,
                                  std::span<const ir::NodeId> effects) {
  const size_t values = graph.values().size();
  std::vector<bool> is_fed(values, false), is_needed(values, false);
  std::vector<bool> runs(graph.nodes().size(), false);
  for (const ir::ValueId id : fed) is_fed[id] = true;
  for (const ir::ValueId id : results) is_needed[id] = true;
  for (const ir::NodeId id : effects) runs[id] = true;
  for (ir::NodeId id = static_cast<ir::NodeId>(graph.nodes().size()); id-- > 0;) {
    const ir::Node& node = graph.node(id);
    for (const ir::ValueId output : node.outputs) {
      runs[id] = runs[id] || (is_needed[output] && !is_fed[output]);
    }
    if (!runs[id]) continue;
    for (const ir::ValueId input : node.inputs) {
      if (input != ir::kNone) is_needed[input] = true;
    }
    for (const ir::NodeId earlier : node.after) runs[earlier] = true;
  }
  auto out = new_shared<ir::Function>();
  out->name = "run";
  std::vector<ir::ValueId> place(values, ir::kNone);
  for (const ir::ValueId id : fed) {
    place[id] = out->graph.add_parameter(graph.value(id).type, graph.name_of(id));
  }
  std::vector<ir::NodeId> node_place(graph.nodes().size(), ir::kNone);
  for (ir::NodeId id = 0; id < graph.nodes().size(); ++id) {
    if (!runs[id]) continue;
    const ir::Node& node = graph.node(id);
    if (node.op == &kPlaceholder) {
      fail_at(node.where, Code::kInvalid, "Session", "feed", "the placeholder ", node.name, " (",
              graph.value(node.outputs[0]).type,
              ") is needed and not fed; give it a value: run(fetches, {", node.name, ": value})");
    }
    ir::ValueIds in;
    for (const ir::ValueId input : node.inputs) {
      in.push_back(input == ir::kNone ? ir::kNone : place[input]);
    }
    Types types;
    for (const ir::ValueId output : node.outputs) types.push_back(graph.value(output).type);
    ir::NodeOptions options{.name = node.name, .where = node.where, .device = node.device};
    for (const ir::NodeId earlier : node.after) options.after.push_back(node_place[earlier]);
    for (const ir::NodeId earlier : node.follows) {
      if (node_place[earlier] != ir::kNone) options.follows.push_back(node_place[earlier]);
    }
    node_place[id] = out->graph.add(*node.op, in, node.attrs, types, options);
    const ir::ValueIds& made = out->graph.node(node_place[id]).outputs;
    for (size_t k = 0; k < made.size(); ++k) {
      if (!is_fed[node.outputs[k]]) place[node.outputs[k]] = made[k];
    }
  }
  for (const ir::ValueId id : results) out->results.push_back(place[id]);
  return out;
}

}  // namespace weft
