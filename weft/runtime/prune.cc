// Partial execution: which nodes a run needs, and what it may take for granted.
#include "weft/runtime/prune.h"

#include <algorithm>
#include <set>

#include "weft/base/error.h"
#include "weft/runtime/copy_nodes.h"
#include "weft/runtime/made_at.h"
#include "weft/state/state.h"

namespace weft {
namespace {

using Dims = std::vector<Dim>;

bool contains(const Dims& dims, Dim dim) {
  return std::find(dims.begin(), dims.end(), dim) != dims.end();
}

bool contains_all(const Dims& dims, Dim expression) {
  Dims symbols;
  append_symbols(symbols, expression);
  return std::ranges::all_of(symbols, [&](Dim symbol) { return contains(dims, symbol); });
}

// What 2*n is made of: it is checked against n.
void append_parts(Dims& out, Dim dim) {
  Dims symbols;
  append_symbols(symbols, dim);
  if (!contains(symbols, dim)) out.insert(out.end(), symbols.begin(), symbols.end());
}

// The sizes that a node's attributes speak of.
void append_sizes(Dims& out, const ir::Node& node) {
  for (const FieldInfo& field : node.op->attrs->fields) {
    if (field.type != FieldType::kShape) continue;
    for (const Dim dim : *static_cast<const Shape*>(field.in(node.attributes()))) {
      append_symbols(out, dim);
    }
  }
}

class Pruning {
 public:
  Pruning(const Staging& staging, const Wanted& wanted, bool for_parts = false)
      : graph_(staging.graph()),
        assumptions_(staging.assumptions()),
        wanted_(wanted),
        for_parts_(for_parts),
        is_fed_(graph_.values().size(), false),
        is_needed_(graph_.values().size(), false),
        runs_(graph_.nodes().size(), false),
        copies_(graph_, out_->graph) {
    out_->name = "run";
    mark();
  }

  std::vector<ir::ValueId> placeholders() const {
    std::vector<ir::ValueId> out;
    Dims given = bound_;  // what those bind whose values are needed
    for (ir::NodeId id = 0; id < graph_.nodes().size(); ++id) {
      if (need_of(id, given) != Need::kValue) continue;
      const Shape& shape = graph_.value(graph_.node(id).outputs[0]).type.shape;
      given.insert(given.end(), shape.begin(), shape.end());
    }
    for (ir::NodeId id = 0; id < graph_.nodes().size(); ++id) {
      if (need_of(id, given) != Need::kNone) out.push_back(graph_.node(id).outputs[0]);
    }
    return out;
  }

  Shared<const ir::Function> run() {
    check_feeds();
    for (const ir::ValueId id : wanted_.feeds) {
      copies_.put(
          id, out_->graph.add_parameter(graph_.value(id).type, graph_.name_of(id), line_of(id)));
    }
    for (ir::NodeId id = 0; id < graph_.nodes().size(); ++id) {
      if (runs_[id]) copy(id);
    }
    for (const ir::ValueId id : wanted_.fetches) out_->results.push_back(copies_.at(id));
    keep_assumptions();
    return out_;
  }

 private:
  Where line_of(ir::ValueId id) const {
    const ir::NodeId maker = graph_.value(id).maker;
    return maker == ir::kNone ? Where{} : graph_.node(maker).where;
  }

  bool is_placeholder(ir::ValueId id) const {
    const ir::NodeId maker = graph_.value(id).maker;
    return maker != ir::kNone && graph_.node(maker).op == &kPlaceholder;
  }

  // What is needed needs its inputs; what runs does all its writes.
  void mark() {
    for (const ir::ValueId id : wanted_.feeds) {
      is_fed_[id] = true;
      for (const Dim dim : graph_.value(id).type.shape) {
        bound_.push_back(dim);
        if (is_placeholder(id)) append_parts(sizes_, dim);
      }
    }
    std::vector<ir::NodeIds> writes(graph_.nodes().size());
    for (ir::NodeId id = 0; id < graph_.nodes().size(); ++id) {
      const ir::NodeId writer = writer_of(graph_, graph_.node(id));
      if (writer != ir::kNone) writes[writer].push_back(id);
    }
    std::vector<ir::NodeId> open;  // that run, and whose needs are not marked yet
    const auto run = [&](ir::NodeId id) {
      if (!runs_[id]) open.push_back(id);
      runs_[id] = true;
    };
    const auto need = [&](ir::ValueId id) {
      is_needed_[id] = true;
      const ir::NodeId maker = graph_.value(id).maker;
      if (!is_fed_[id] && maker != ir::kNone) run(maker);
    };
    for (const ir::ValueId id : wanted_.fetches) need(id);
    for (const ir::NodeId id : wanted_.effects) run(id);
    while (!open.empty()) {
      const ir::NodeId id = open.back();
      open.pop_back();
      const ir::Node& node = graph_.node(id);
      append_sizes(sizes_, node);
      for (const ir::ValueId input : node.inputs) {
        if (input != ir::kNone) need(input);
      }
      for (const ir::NodeId earlier : node.after) run(earlier);
      for (const ir::NodeId write : writes[id]) run(write);
    }
  }

  // A placeholder that is not fed: is its value needed, or a size that is not bound?
  enum class Need : uint8_t { kNone, kValue, kSize };
  Need need_of(ir::NodeId id, const Dims& bound) const {
    const ir::Node& node = graph_.node(id);
    if (node.op != &kPlaceholder || is_fed_[node.outputs[0]]) return Need::kNone;
    if (runs_[id]) return Need::kValue;
    const bool has_size = std::ranges::any_of(
        graph_.value(node.outputs[0]).type.shape,
        [&](Dim dim) { return contains(sizes_, dim) && !contains(bound, dim); });
    return has_size ? Need::kSize : Need::kNone;
  }

  void check_feeds() const {
    for (ir::NodeId id = 0; id < graph_.nodes().size(); ++id) {
      const Need need = need_of(id, bound_);
      if (need == Need::kNone) continue;
      const ir::Node& node = graph_.node(id);
      fail_made(node.name, node.where, Code::kInvalid, "Session", "feed", "the placeholder ",
                node.name, " (", graph_.value(node.outputs[0]).type, ") is needed",
                need == Need::kSize ? " for its size" : "",
                " and not fed; give it a value: run(fetches, {", node.name, ": value})");
    }
    for (const ir::ValueId id : wanted_.feeds) {
      const Shape& shape = graph_.value(id).type.shape;
      const bool gives_size =
          std::ranges::any_of(shape, [&](Dim dim) { return contains(sizes_, dim); });
      if (is_needed_[id] || gives_size) continue;
      fail_made(graph_.name_of(id), line_of(id), Code::kInvalid, "Session", "unused",
                graph_.name_of(id), " (", graph_.value(id).type,
                ") is fed, but what is fetched does not need it; leave it out");
    }
  }

  // A Variable that was read or written has the value of that node until the next write.
  void copy(ir::NodeId id) {
    const ir::Node& node = graph_.node(id);
    if (node.op != &kReadVariable && node.op != &kAssignVariable) {
      copies_.copy(id);
      return;
    }
    const auto held = held_.find(variable_of(node));
    if (node.op == &kReadVariable && held != held_.end()) {
      copies_.put_node(id, held->second);
    } else {
      held_[variable_of(node)] = copies_.copy(id, for_parts_ ? nullptr : by_itself(node));
    }
  }

  // Where all nodes run, it does not matter whose write one is, and calls may be taken apart.
  static Shared<const AnyAttrs> by_itself(const ir::Node& node) {
    if (!static_cast<const VariableAttrs*>(node.attributes())->with_maker) return nullptr;
    const VariableAttrs attrs{static_cast<const VariableAttrs*>(node.attributes())->variable};
    return ir::keep(*node.op->attrs, &attrs);
  }

  static const void* variable_of(const ir::Node& node) {
    return static_cast<const VariableAttrs*>(node.attributes())->variable.id();
  }

  // What a line took for granted matters if an op of that line runs. Sizes that are not fed cannot
  // be compared.
  void keep_assumptions() {
    std::set<std::pair<const char*, uint32_t>> lines;
    for (const ir::Node& node : out_->graph.nodes()) {
      lines.emplace(node.where.file, node.where.line);
    }
    for (const ir::Assumption& one : assumptions_) {
      const bool runs = !one.where.known() || lines.contains({one.where.file, one.where.line});
      if (runs && contains_all(bound_, one.a) && contains_all(bound_, one.b)) {
        out_->assumptions.push_back(one);
      }
    }
  }

  const ir::Graph& graph_;
  const std::vector<ir::Assumption>& assumptions_;
  const Wanted& wanted_;
  const bool for_parts_;
  std::vector<bool> is_fed_, is_needed_, runs_;
  Dims sizes_;  // that ops which run speak of
  Dims bound_;  // that feeds give values to
  const Shared<ir::Function> out_ = new_shared<ir::Function>();
  CopyNodes copies_;
  std::map<const void*, ir::NodeId> held_;  // by Variable
};

}  // namespace

Shared<const ir::Function> pruned(const Staging& graph, const Wanted& wanted, bool for_parts) {
  return Pruning(graph, wanted, for_parts).run();
}

std::vector<ir::ValueId> placeholders_needed(const Staging& graph, const Wanted& wanted) {
  return Pruning(graph, wanted).placeholders();
}

}  // namespace weft
