// Finds scopes for the ops of a reverse sweep in a traced function. The trace gives them none,
// since the sweep runs after the modules' calls have returned. The sweep visits the forward ops
// from the last to the first, and the gradient of an op reads the op's inputs or result.
#include <algorithm>
#include <set>

#include "weft/ir/picture_tree.h"

namespace weft::ir {
namespace {

std::string line_of(const Node& node) {
  return node.where.known() ? to_string(node.where) : std::string();
}

class SweepReader {
 public:
  SweepReader(const Function& function, std::vector<std::string>& scopes)
      : function_(function), graph_(function.graph), scopes_(scopes) {}

  void assign() {
    begin_ = first_of_sweep();
    if (begin_ == kNone) return;
    readers_.resize(graph_.values().size());
    for (NodeId id = 0; id < begin_; ++id) {
      for (const ValueId in : graph_.node(id).inputs) {
        if (in != kNone) readers_[in].push_back(id);
      }
    }
    assign_seeds();
    for (NodeId id = 0; id < begin_; ++id) {
      if (scopes_[id] != kGradientScope && has_inputs(id)) {
        forward_lines_.insert(line_of(graph_.node(id)));
      }
    }
    forward_of_.assign(graph_.nodes().size(), kNone);
    current_ = begin_ - 1;
    for (NodeId id = begin_; id < graph_.nodes().size(); ++id) {
      if (scopes_[id].empty() && forward_lines_.contains(line_of(graph_.node(id)))) assign(id);
    }
    assign_updates();
  }

 private:
  NodeId first_of_sweep() const {
    for (NodeId id = 1; id < graph_.nodes().size(); ++id) {
      const bool is_rule = graph_.node(id).op->name.find(".vjp") != std::string_view::npos;
      if (is_rule && scopes_[id].empty()) return id;
    }
    return kNone;
  }
  bool is_forward(NodeId id) const { return id < begin_; }
  bool has_inputs(NodeId id) const { return !graph_.node(id).inputs.empty(); }

  // The forward op that a node differentiates: of the ops that the sweep has not passed yet, the
  // latest one that computes or reads an input of the node.
  NodeId by_what_it_reads(const Node& node) const {
    NodeId out = kNone;
    const auto consider = [&](NodeId id) {
      if (id <= current_ && (out == kNone || id > out)) out = id;
    };
    for (const ValueId in : node.inputs) {
      if (in == kNone) continue;
      const NodeId maker = graph_.value(in).maker;
      if (maker != kNone && !is_forward(maker)) continue;
      if (maker != kNone && has_inputs(maker)) consider(maker);
      for (const NodeId reader : readers_[in]) consider(reader);
    }
    return out;
  }
  // The same for a node that reads only gradients: if it reads the gradient of an op's operand, it
  // belongs to the op that computed the operand.
  NodeId by_gradient(const Node& node) const {
    for (const ValueId in : node.inputs) {
      if (in == kNone) continue;
      const NodeId maker = graph_.value(in).maker;
      if (maker == kNone || is_forward(maker) || forward_of_[maker] == kNone) continue;
      const NodeId of = forward_of_[maker];
      for (const ValueId operand : graph_.node(of).inputs) {
        if (operand == kNone) continue;
        const NodeId before = graph_.value(operand).maker;
        const bool is_it = before != kNone && has_inputs(before) && before <= current_ &&
                           graph_.value(operand).type == graph_.value(in).type;
        if (is_it) return before;
      }
      return of;
    }
    return kNone;
  }
  void assign(NodeId id) {
    const Node& node = graph_.node(id);
    NodeId of = by_what_it_reads(node);
    if (of == kNone) of = by_gradient(node);
    if (of == kNone) of = current_;
    current_ = std::min(current_, of);
    forward_of_[id] = of;
    scopes_[id] = text(kGradientScope, scopes_[of].empty() ? "" : "/", scopes_[of]);
  }
  // The initial cotangents are computed before the sweep's first rule, and no forward op reads
  // them.
  void assign_seeds() {
    for (NodeId id = 0; id < begin_; ++id) {
      if (!scopes_[id].empty()) continue;
      const auto is_unused = [&](ValueId value) {
        return readers_[value].empty() &&
               std::ranges::find(function_.results, value) == function_.results.end();
      };
      if (std::ranges::all_of(graph_.node(id).outputs, is_unused)) {
        scopes_[id] = std::string(kGradientScope);
      }
    }
  }
  // Nodes after the sweep that only new values of Variables depend on.
  void assign_updates() {
    std::set<uint32_t> is_new_value;
    for (const Function::NewValue& one : function_.new_values) is_new_value.insert(one.result);
    if (is_new_value.empty()) return;
    std::vector<bool> is_needed(graph_.nodes().size(), false);
    for (uint32_t k = 0; k < function_.results.size(); ++k) {
      const NodeId maker = graph_.value(function_.results[k]).maker;
      if (maker != kNone && !is_new_value.contains(k)) is_needed[maker] = true;
    }
    for (NodeId id = static_cast<NodeId>(graph_.nodes().size()); id-- > 0;) {
      if (!is_needed[id]) continue;
      for (const ValueId in : graph_.node(id).inputs) {
        const NodeId maker = in == kNone ? kNone : graph_.value(in).maker;
        if (maker != kNone) is_needed[maker] = true;
      }
    }
    for (NodeId id = begin_; id < graph_.nodes().size(); ++id) {
      if (scopes_[id].empty() && !is_needed[id]) scopes_[id] = std::string(kUpdateScope);
    }
  }

  const Function& function_;
  const Graph& graph_;
  std::vector<std::string>& scopes_;
  NodeId begin_ = kNone, current_ = 0;
  std::vector<std::vector<NodeId>> readers_;  // forward nodes, by value
  std::vector<NodeId> forward_of_;            // by node of the sweep
  std::set<std::string> forward_lines_;
};

}  // namespace

std::string scope_of(const Graph& graph, std::string_view name) {
  size_t slash = name.rfind('/');
  while (slash != std::string_view::npos) {
    name = name.substr(0, slash);
    if (!graph.has_name(name)) return std::string(name);
    slash = name.rfind('/');
  }
  return "";
}

std::vector<std::string> drawn_scopes(const Function& function) {
  std::vector<std::string> out;
  for (const Node& node : function.graph.nodes()) {
    out.push_back(scope_of(function.graph, node.name));
  }
  SweepReader(function, out).assign();
  return out;
}

}  // namespace weft::ir
