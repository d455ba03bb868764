// inline_calls: puts the ops of called functions in the places of their calls.
//
//   %a = call(%x) {function=@f}   ->   %a/exp = exp(%x)
//   return %a                          return %a/exp
#include "weft/base/text.h"
#include "weft/compile/passes.h"
#include "weft/compile/rewrite.h"
#include "weft/state/state.h"

namespace weft::compile {
namespace {

// The function that a node calls: an attribute of this name, of which its first inputs are the
// arguments. Null: it calls none, or one that derivatives compute again, whose ops would be found
// to be the same if they stood side by side.
const ir::Function* callee_of(const ir::Node& node) {
  const FieldInfo* const function = node.op->attrs->find("function");
  const bool is_one = function != nullptr && function->type == FieldType::kFunction;
  if (!is_one || node.op->name == "checkpoint_call") return nullptr;
  return static_cast<const FunctionAttr*>(function->in(node.attributes()))->get();
}

// Sizes that ops in it find have names of its own, which may be taken here.
bool finds_sizes(const ir::Function& function) {
  for (const ir::Value& value : function.graph.values()) {
    std::vector<Dim> symbols;
    for (const Dim dim : value.type.shape) append_symbols(symbols, dim);
    for (const Dim symbol : symbols) {
      if (to_string(symbol).starts_with('?')) return true;
    }
  }
  return false;
}

bool is_waited_for(const ir::Graph& graph, ir::NodeId id) {
  for (const ir::Node& node : graph.nodes()) {
    for (const ir::NodeIds* list : {&node.after, &node.follows}) {
      for (const ir::NodeId earlier : *list) {
        if (earlier == id) return true;
      }
    }
    if (writer_of(graph, node) == id) return true;
  }
  return false;
}

void put_inside(Rewrite& out, ir::NodeId id, const ir::Function& callee) {
  const ir::Node& call = out.from().graph.node(id);
  ir::ValueIds arguments = out.inputs_of(call);
  arguments.resize(callee.parameter_count());
  Types types;
  for (const ir::ValueId argument : arguments) types.push_back(out.graph().value(argument).type);
  const std::vector<DimBinding> bindings = ir::bind_symbols(callee, types);
  std::vector<ir::ValueId> place(callee.graph.values().size(), ir::kNone);
  std::vector<ir::NodeId> node_place;
  for (size_t i = 0; i < arguments.size(); ++i) {
    place[callee.graph.parameters()[i]] = arguments[i];
  }
  for (const ir::Node& node : callee.graph.nodes()) {
    ir::ValueIds in;
    for (const ir::ValueId input : node.inputs) {
      in.push_back(input == ir::kNone ? ir::kNone : place[input]);
    }
    Types made;
    for (const ir::ValueId output : node.outputs) {
      Type type = callee.graph.value(output).type;
      for (Dim& dim : type.shape) dim = substituted(dim, bindings);
      made.push_back(type);
    }
    Shared<const AnyAttrs> attrs = node.attrs;
    if (has_symbols(*node.op->attrs, node.attributes())) {
      attrs = new_shared<const AnyAttrs>(substituted(*node.op->attrs, node.attributes(), bindings));
    }
    const std::string name = text(call.name, '/', node.name);
    ir::NodeOptions options{.name = name,
                            .where = node.where.known() ? node.where : call.where,
                            .device = node.device.empty() ? call.device : node.device};
    for (const ir::NodeId earlier : node.after) options.after.push_back(node_place[earlier]);
    for (const ir::NodeId earlier : node.follows) options.follows.push_back(node_place[earlier]);
    node_place.push_back(out.add(*node.op, in, std::move(attrs), made, options));
    const ir::ValueIds& outputs = out.graph().node(node_place.back()).outputs;
    for (size_t k = 0; k < outputs.size(); ++k) place[node.outputs[k]] = outputs[k];
  }
  ir::ValueIds results;
  for (const ir::ValueId result : callee.results) results.push_back(place[result]);
  out.replace(id, results);
}

}  // namespace

FunctionPtr inline_calls(const ir::Function& function) {
  const ir::Graph& graph = function.graph;
  Rewrite out(function);
  for (ir::NodeId id = 0; id < graph.nodes().size(); ++id) {
    const ir::Function* const callee = callee_of(graph.node(id));
    const bool may_be = callee != nullptr && graph.node(id).after.empty() &&
                        !finds_sizes(*callee) && !is_waited_for(graph, id);
    if (!may_be) {
      out.copy(id);
      continue;
    }
    put_inside(out, id, *inline_calls(*callee));
  }
  return out.finish();
}

}  // namespace weft::compile
