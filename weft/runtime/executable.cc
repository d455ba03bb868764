// Running a function: its ops in order, values released after their last use.
#include "weft/runtime/executable.h"

#include "weft/base/error.h"
#include "weft/base/fail_at.h"
#include "weft/op/apply.h"
#include "weft/op/context.h"
#include "weft/op/observe.h"

namespace weft {
namespace {

bool has_unknown(ShapeView shape) {
  for (const Dim dim : shape) {
    if (!dim.is_known()) return true;
  }
  return false;
}

// Sizes that an op has found out get their values.
void bind_found(const ir::Graph& graph, const ir::Node& node, TensorSpan out,
                std::vector<DimBinding>& bindings) {
  for (size_t k = 0; k < out.size(); ++k) {
    const Shape& shape = graph.value(node.outputs[k]).type.shape;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (shape[i].is_known() || !to_string(shape[i]).starts_with('?')) continue;
      bindings.push_back({shape[i], out[k].shape()[i]});
    }
  }
}

Tensors computed(const ir::Node& node, TensorSpan in, const void* attrs) {
  const OpDef& op = *node.op;
  if (context.is_observed) return compute_observed(op, in, attrs, node.where);
  if (node.outputs.size() == 1 && !in.empty()) {
    if (Tensor out = eager_fast(op, in); out.defined()) return {std::move(out)};
  }
  return eager_compute(op, in, attrs);
}

}  // namespace

Executable::Executable(const ir::Function& function) : function_(function) {
  const ir::Graph& graph = function.graph;
  std::vector<uint32_t> last_use(graph.values().size(), ir::kNone);
  for (uint32_t i = 0; i < graph.nodes().size(); ++i) {
    const ir::Node& node = graph.node(i);
    for (const ir::ValueId id : node.inputs) last_use[id] = i;
    for (const ir::ValueId id : node.outputs) last_use[id] = i;
  }
  for (const ir::ValueId id : function.results) last_use[id] = ir::kNone;
  for (uint32_t i = 0; i < graph.nodes().size(); ++i) {
    const ir::Node& node = graph.node(i);
    Step step{&node, has_symbols(*node.op->attrs, node.attributes()), false, {}};
    for (const ir::ValueId id : node.outputs) {
      step.finds_sizes = step.finds_sizes || has_unknown(graph.value(id).type.shape);
    }
    for (const ir::ValueIds* list : {&node.inputs, &node.outputs}) {
      for (const ir::ValueId id : *list) {
        if (last_use[id] != i) continue;
        step.released.push_back(id);
        last_use[id] = ir::kNone;  // once, if it is read twice
      }
    }
    needs_sizes_ = needs_sizes_ || step.has_symbols;
    steps_.push_back(std::move(step));
  }
}

Tensors Executable::run(TensorSpan arguments) const {
  const ir::Graph& graph = function_.graph;
  std::vector<Tensor> values(graph.values().size());
  for (size_t i = 0; i < arguments.size(); ++i) values[graph.parameters()[i]] = arguments[i];
  std::vector<DimBinding> bindings;
  if (needs_sizes_) {
    Types types;
    for (const Tensor& t : arguments) types.push_back(t.type());
    bindings = ir::bind_symbols(function_, types);
  }
  for (const Step& step : steps_) {
    const ir::Node& node = *step.node;
    InlineVector<Node*, 8> in;
    for (const ir::ValueId id : node.inputs) in.push_back(values[id].node());
    const TensorSpan span(reinterpret_cast<const Tensor*>(in.data()), in.size());
    Tensors out;
    try {
      if (step.has_symbols) {
        const AnyAttrs attrs = substituted(*node.op->attrs, node.attributes(), bindings);
        out = computed(node, span, attrs.data());
      } else {
        out = computed(node, span, node.attributes());
      }
    } catch (Error& error) {
      throw note_line(error, node.where);
    }
    if (needs_sizes_ && step.finds_sizes) bind_found(graph, node, out, bindings);
    for (size_t k = 0; k < out.size(); ++k) values[node.outputs[k]] = std::move(out[k]);
    for (const ir::ValueId id : step.released) values[id] = Tensor();
  }
  Tensors results;
  for (const ir::ValueId id : function_.results) results.push_back(values[id]);
  return results;
}

const Executable& executable_of(const ir::Function& function) {
  ir::Function::Kept& kept = function.kept();
  std::lock_guard lock(kept.mutex);
  if (kept.executable == nullptr) kept.executable = new_shared<Executable>(function);
  return *static_cast<const Executable*>(kept.executable.get());
}

namespace ir {

Tensors run(const Function& function, TensorSpan arguments) {
  return executable_of(function).run(arguments);
}

}  // namespace ir
}  // namespace weft
