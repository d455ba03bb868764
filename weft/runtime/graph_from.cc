// Graphs made of what there is already: a text, a function, another graph; and Variables whose
// initial values are part of a graph.
#include <algorithm>

#include "weft/base/error.h"
#include "weft/base/fail_at.h"
#include "weft/compile/passes.h"
#include "weft/control/ops.h"
#include "weft/ir/print.h"
#include "weft/op/scope.h"
#include "weft/runtime/copy_nodes.h"
#include "weft/runtime/executable.h"
#include "weft/runtime/graph.h"
#include "weft/runtime/prune.h"
#include "weft/state/state.h"

namespace weft {
namespace {

// Values that nobody reads, of ops that are there for their values.
std::vector<ir::ValueId> unread(const ir::Graph& graph) {
  std::vector<bool> is_read(graph.values().size(), false);
  for (const ir::Node& node : graph.nodes()) {
    for (const ir::ValueId input : node.inputs) {
      if (input != ir::kNone) is_read[input] = true;
    }
  }
  std::vector<ir::ValueId> out;
  for (ir::ValueId id = 0; id < is_read.size(); ++id) {
    const ir::NodeId maker = graph.value(id).maker;
    const bool is_placeholder = maker != ir::kNone && graph.node(maker).op == &kPlaceholder;
    if (!is_read[id] && !is_placeholder) out.push_back(id);
  }
  return out;
}

// What waits for no run and changes nothing, computed.
Tensor evaluated(const Staging& staging, ir::ValueId id, Where where) {
  const auto refuse = [&](std::string_view why, std::string_view name) {
    fail_at(where, Code::kInvalid, "Variable", "initial", "the initial value ",
            staging.graph().name_of(id), ' ', why, ' ', name,
            "; a Variable has a value from the beginning: give one that does not wait for a run");
  };
  const Wanted wanted{.fetches = {id}, .feeds = {}, .effects = {}};
  for (const ir::ValueId placeholder : placeholders_needed(staging, wanted)) {
    refuse("depends on the placeholder", staging.graph().name_of(placeholder));
  }
  const Shared<const ir::Function> part = pruned(staging, wanted);
  for (const ir::Node& node : part->graph.nodes()) {
    if (node.op == &kAssignVariable) refuse("runs after a write,", node.name);
  }
  const OutsideLevels outside;
  return executable_of(*part).run({})[0];
}

// The name behind those of the scopes that are open, and a number behind it if another Variable of
// the graph has it: texts call Variables by their names.
std::string name_in(const Staging& staging, std::string_view wish) {
  const std::string whole = text(staging.scope, wish);
  const auto is_taken = [&](const std::string& name) {
    return std::ranges::any_of(
        staging.variables(), [&](const GraphVariable& one) { return one.variable.name() == name; });
  };
  std::string out = whole;
  for (int i = 1; is_taken(out); ++i) out = text(whole, '_', i);
  return out;
}

// The part that gives what is wanted, with placeholders for parameters.
Shared<const ir::Function> part_of(const Staging& staging, Wanted wanted) {
  wanted.feeds = placeholders_needed(staging, wanted);
  return pruned(staging, wanted, /*for_parts=*/true);
}

// What the user listed, and is in a part of the graph.
struct Kept {
  std::string collection;
  ir::Listed item;
};
template <class Collections>
std::vector<Kept> kept_of(const Collections& collections, const ir::Graph& graph,
                          const ir::Function& part) {
  const auto is_in_part = [&](const ir::Listed& item) {
    if (item.variable.defined()) return true;
    const ir::NodeId node = item.value == ir::kNone ? item.node : graph.value(item.value).maker;
    return part.graph.has_name(graph.node(node).name);
  };
  std::vector<Kept> out;
  for (const auto& [name, items] : collections) {
    if (name == "results") continue;
    for (const ir::Listed& item : items) {
      if (is_in_part(item)) out.push_back({name, item});
    }
  }
  return out;
}

}  // namespace

Variable Graph::variable(const Tensor& initial, VariableOptions options, Where where) const {
  const std::string name = options.name.empty() ? "" : name_in(*staging_, options.name);
  options.name = name;
  const ir::ValueId id = initial.defined() ? staged_value(initial, *staging_) : ir::kNone;
  const EagerScope now;
  const Variable out(id == ir::kNone ? initial : evaluated(*staging_, id, where), options, where);
  staging_->add_variable(out);
  return out;
}

Graph Graph::from(const ir::Function& function) { return from(function, {}); }

Graph Graph::from(const ir::Function& function, const ir::Lists& lists) {
  const ir::Graph& given = function.graph;
  ir::Graph graph;
  CopyNodes copies(given, graph);
  for (uint32_t i = 0; i < given.parameters().size(); ++i) {
    const Type& type = function.parameter_type(i);
    const PlaceholderAttrs attrs{type.dtype, type.shape};
    const ir::NodeId node =
        graph.add(kPlaceholder, {}, ir::keep(*kPlaceholder.attrs, &attrs), {type},
                  {.name = given.parameter_name(i), .where = given.parameter_line(i)});
    copies.put(given.parameters()[i], graph.node(node).outputs[0]);
  }
  for (ir::NodeId id = 0; id < given.nodes().size(); ++id) copies.copy(id);
  Graph out(Staging::resume(std::move(graph), function.assumptions));
  for (const Variable& one : lists.variables) out.staging().add_variable(one);
  for (const auto& [name, items] : lists.collections) {
    for (const ir::Listed& one : items) {
      (*out.collections_)[name].push_back(
          {copies.at(one.value), copies.node_at(one.node), one.variable});
    }
  }
  for (const ir::ValueId id : function.results) {
    (*out.collections_)["results"].push_back({copies.at(id), ir::kNone, {}});
  }
  return out;
}

Graph Graph::parse(std::string_view text, std::map<std::string, Variable, std::less<>> variables) {
  register_control_ops();
  const ir::Document document = ir::parse(text, variables);
  Graph out = from(*document.main(), document.lists);
  const std::vector<Variable> used = out.global_variables();
  for (const auto& [name, variable] : variables) {
    const bool is_used =
        std::ranges::any_of(used, [&](const Variable& one) { return one.same_place(variable); });
    if (is_used) continue;
    fail(Code::kInvalid, "Graph", "variables", "a Variable is given for @", name,
         ", but the text has none of that name; leave it out");
  }
  return out;
}

Graph Graph::optimized(TensorSpan fetches, const std::string& dump) const {
  const ir::Graph& graph = staging_->graph();
  Wanted wanted;
  for (const Tensor& t : fetches) {
    const ir::ValueId id = staged_value(t, *staging_);
    if (id == ir::kNone) {
      fail(Code::kInvalid, "optimize", "fetch", "what is to be fetched is no value of this graph");
    }
    wanted.fetches.push_back(id);
  }
  if (fetches.empty()) {
    wanted.fetches = unread(graph);
    for (ir::NodeId id = 0; id < graph.nodes().size(); ++id) {
      if (compile::has_effect(graph.node(id))) wanted.effects.push_back(id);
    }
  }
  // What is listed and part of it stays, as a further result behind the others.
  const std::vector<Kept> kept = kept_of(*collections_, graph, *part_of(*staging_, wanted));
  const size_t count = wanted.fetches.size();
  for (const Kept& one : kept) {
    if (one.item.value != ir::kNone) wanted.fetches.push_back(one.item.value);
  }
  Graph out = from(*compile::optimize(*part_of(*staging_, wanted), {.dump = dump}));
  for (const Variable& one : global_variables()) out.staging().add_variable(one);
  std::vector<ir::Listed>& results = (*out.collections_)["results"];
  size_t next = count;
  for (const Kept& one : kept) {
    ir::Listed item = one.item;
    if (item.value != ir::kNone) item.value = results[next++].value;
    if (item.node != ir::kNone) {
      item.node = out.staging().graph().find_node(graph.node(item.node).name);
      if (item.node == ir::kNone) continue;  // nothing is left of it
    }
    (*out.collections_)[one.collection].push_back(item);
  }
  results.resize(count);
  if (results.empty()) out.collections_->erase("results");
  return out;
}

}  // namespace weft
