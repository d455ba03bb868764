// Node after node.
#include "weft/runtime/interpret.h"

#include "weft/base/fail_at.h"
#include "weft/base/thread_pool.h"
#include "weft/op/apply.h"
#include "weft/op/concrete_value.h"
#include "weft/op/context.h"
#include "weft/op/observe.h"

namespace weft {
namespace {

Tensors computed_with(const ir::Node& node, TensorSpan in, const void* attrs) {
  const OpDef& op = *node.op;
  if (context.is_observed) return compute_observed(op, in, attrs, node.where);
  if (node.outputs.size() == 1 && !in.empty()) {
    if (Tensor out = eager_fast(op, in); out.defined()) return {std::move(out)};
  }
  return eager_compute(op, in, attrs);
}

// For each node the values that are read there for the last time, in one list.
struct LastUses {
  std::vector<ir::ValueId> values;
  std::vector<uint32_t> ends;  // of each node's part

  explicit LastUses(const ir::Function& function) {
    const ir::Graph& graph = function.graph;
    std::vector<uint32_t> last(graph.values().size(), ir::kNone);
    for (uint32_t i = 0; i < graph.nodes().size(); ++i) {
      for (const ir::ValueId id : graph.node(i).inputs) last[id] = i;
      for (const ir::ValueId id : graph.node(i).outputs) last[id] = i;
    }
    for (const ir::ValueId id : function.results) last[id] = ir::kNone;
    for (uint32_t i = 0; i < graph.nodes().size(); ++i) {
      for (const ir::ValueIds* list : {&graph.node(i).inputs, &graph.node(i).outputs}) {
        for (const ir::ValueId id : *list) {
          if (last[id] == i) values.push_back(id);
        }
      }
      ends.push_back(static_cast<uint32_t>(values.size()));
    }
  }
};

}  // namespace

Tensors computed(const ir::Node& node, TensorSpan in, std::span<const DimBinding> bindings) {
  if (!has_symbols(*node.op->attrs, node.attributes())) {
    return computed_with(node, in, node.attributes());
  }
  const AnyAttrs attrs = substituted(*node.op->attrs, node.attributes(), bindings);
  return computed_with(node, in, attrs.data());
}

Tensors interpret(const ir::Function& function, TensorSpan arguments) {
  require_concrete(function.name, arguments);  // eager_fast below reads memory unchecked
  const ir::Graph& graph = function.graph;
  const LastUses uses(function);
  std::vector<Tensor> values(graph.values().size());
  for (size_t i = 0; i < arguments.size(); ++i) values[graph.parameters()[i]] = arguments[i];
  std::vector<DimBinding> bindings = ir::bind_symbols(function, types_of(arguments));
  uint32_t next = 0;
  for (uint32_t i = 0; i < graph.nodes().size(); ++i) {
    const ir::Node& node = graph.node(i);
    poll_interrupt();
    InlineVector<TensorNode*, 8> in;
    for (const ir::ValueId id : node.inputs) in.push_back(values[id].node());
    const TensorSpan span(reinterpret_cast<const Tensor*>(in.data()), in.size());
    Tensors out;
    try {
      out = computed(node, span, bindings);
    } catch (Error& error) {
      throw note_line(error, node.where);
    }
    ir::bind_found(graph, node, out, bindings);
    for (size_t k = 0; k < out.size(); ++k) values[node.outputs[k]] = std::move(out[k]);
    for (; next < uses.ends[i]; ++next) values[uses.values[next]] = Tensor();
  }
  Tensors results;
  for (const ir::ValueId id : function.results) results.push_back(values[id]);
  return results;
}

}  // namespace weft
