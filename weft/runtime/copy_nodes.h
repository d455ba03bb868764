// CopyNodes: nodes of one graph in another, each on what stands there for its inputs.
#pragma once

#include "weft/ir/graph.h"

namespace weft {

class CopyNodes {
 public:
  CopyNodes(const ir::Graph& from, ir::Graph& to)
      : from_(from),
        to_(to),
        values_(from.values().size(), ir::kNone),
        nodes_(from.nodes().size(), ir::kNone) {}

  ir::ValueId at(ir::ValueId old) const { return old == ir::kNone ? ir::kNone : values_[old]; }
  ir::NodeId node_at(ir::NodeId old) const { return old == ir::kNone ? ir::kNone : nodes_[old]; }
  // `now` stands for the value, whatever is copied later.
  void put(ir::ValueId old, ir::ValueId now) {
    if (values_[old] == ir::kNone) values_[old] = now;
  }
  // An earlier copy stands for the node.
  void put_node(ir::NodeId old, ir::NodeId now) {
    nodes_[old] = now;
    put_outputs(old);
  }

  // The copy, with its own attributes or these. Effects that it follows are those that were copied.
  ir::NodeId copy(ir::NodeId id, Shared<const AnyAttrs> attrs = nullptr) {
    const ir::Node& node = from_.node(id);
    ir::ValueIds in;
    for (const ir::ValueId input : node.inputs) in.push_back(at(input));
    Types types;
    for (const ir::ValueId output : node.outputs) types.push_back(from_.value(output).type);
    ir::NodeOptions options{.name = node.name, .where = node.where, .device = node.device};
    for (const ir::NodeId earlier : node.after) options.after.push_back(nodes_[earlier]);
    for (const ir::NodeId earlier : node.follows) {
      if (nodes_[earlier] != ir::kNone) options.follows.push_back(nodes_[earlier]);
    }
    nodes_[id] = to_.add(*node.op, in, attrs == nullptr ? node.attrs : attrs, types, options);
    put_outputs(id);
    return nodes_[id];
  }

 private:
  void put_outputs(ir::NodeId id) {
    const ir::ValueIds& old = from_.node(id).outputs;
    const ir::ValueIds& now = to_.node(nodes_[id]).outputs;
    for (size_t k = 0; k < old.size(); ++k) put(old[k], now[k]);
  }

  const ir::Graph& from_;
  ir::Graph& to_;
  std::vector<ir::ValueId> values_;
  std::vector<ir::NodeId> nodes_;
};

}  // namespace weft
