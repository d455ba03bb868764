// Operations and values of a graph, by name and one after the other.
#include "weft/base/error.h"
#include "weft/base/spelling.h"
#include "weft/runtime/graph.h"

namespace weft {
namespace {

[[noreturn]] void fail_name(const ir::Graph& graph, std::string_view what, std::string_view name) {
  std::vector<std::string_view> known;
  for (const ir::Node& node : graph.nodes()) known.push_back(node.name);
  const std::string hint = did_you_mean(name.substr(0, name.rfind(':')), known);
  fail(Code::kInvalid, "Graph", "name", "there is no ", what, " named '", name, "'",
       hint.empty() ? "" : "; ", hint);
}

}  // namespace

std::vector<Operation> Graph::operations() const {
  std::vector<Operation> out;
  for (ir::NodeId id = 0; id < staging_->graph().nodes().size(); ++id) out.push_back({id});
  return out;
}

const ir::Node& Graph::node(Operation operation) const {
  const auto still = staging_->still();
  const std::vector<ir::Node>& nodes = staging_->graph().nodes();
  if (operation.id >= nodes.size()) {
    fail(Code::kInvalid, "Graph", "operation", "the operation is none of this graph, which has ",
         nodes.size());
  }
  return nodes[operation.id];
}

Tensors Graph::inputs_of(Operation operation) const {
  Tensors out;
  for (const ir::ValueId id : node(operation).inputs) {
    out.push_back(id == ir::kNone ? Tensor() : staging_->tensor_of(id));
  }
  return out;
}

Tensors Graph::outputs_of(Operation operation) const {
  Tensors out;
  for (const ir::ValueId id : node(operation).outputs) out.push_back(staging_->tensor_of(id));
  return out;
}

Tensor Graph::tensor(std::string_view name) const {
  const auto still = staging_->still();
  const ir::Graph& graph = staging_->graph();
  const ir::ValueId id = graph.find_value(name);
  if (id != ir::kNone) return staging_->tensor_of(id);
  const std::string_view maker = name.substr(0, name.rfind(':'));
  const ir::NodeId node = graph.find_node(maker);
  if (node == ir::kNone) fail_name(graph, "value", name);
  const size_t count = graph.node(node).outputs.size();
  fail(Code::kInvalid, "Graph", "name", "there is no value named '", name, "': the operation '",
       maker, "' gives ", count == 0 ? "none" : weft::text(count),
       count == 0 ? "; run it, for what it does" : "; they are counted from 0");
}

Operation Graph::operation(std::string_view name) const {
  const auto still = staging_->still();
  const ir::NodeId id = staging_->graph().find_node(name);
  if (id == ir::kNone) fail_name(staging_->graph(), "operation", name);
  return {id};
}

}  // namespace weft
