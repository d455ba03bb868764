// sink_reshapes: moves reshapes and transposes behind elementwise ops, where they meet and cancel.
//
//   %t = permute_dims(%x) {axes=[1, 0]}   ->   %e = exp(%x)
//   %e = exp(%t)                               %e_1 = permute_dims(%e) {axes=[1, 0]}
//
// The elementwise op then reads memory in order, and the transpose is a view behind it.
#include "weft/compile/passes.h"
#include "weft/compile/rewrite.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft::compile {
namespace {

bool is_view_to_sink(const ir::Node* node) {
  return node != nullptr && (node->op == &kReshape || node->op == &kPermuteDims) &&
         node->after.empty();
}

// The same rearrangement of tensors of the same shape.
bool are_alike(const ir::Graph& graph, const ir::Node& a, const ir::Node& b) {
  return a.op == b.op && equal_attrs(*a.op->attrs, a.attributes(), b.attributes()) &&
         graph.value(a.inputs[0]).type.shape == graph.value(b.inputs[0]).type.shape;
}

// All inputs of an elementwise node are the same view of something, or single numbers.
const ir::Node* view_before(const Rewrite& out, const ir::Node& node,
                            const std::vector<uint32_t>& uses) {
  if (node.op->kernel.kind != KernelKind::kElementwise || !node.after.empty()) return nullptr;
  const ir::Node* view = nullptr;
  for (const ir::ValueId old : node.inputs) {
    const ir::ValueId input = out.at(old);
    if (out.graph().value(input).type.rank() == 0) continue;
    const ir::Node* const maker = out.maker_of(input);
    if (!is_view_to_sink(maker) || uses[old] != 1) return nullptr;
    if (view != nullptr && !are_alike(out.graph(), *view, *maker)) return nullptr;
    view = maker;
  }
  return view;
}

}  // namespace

FunctionPtr sink_reshapes(const ir::Function& function) {
  const std::vector<uint32_t> uses = uses_of(function);
  Rewrite out(function);
  for (ir::NodeId id = 0; id < function.graph.nodes().size(); ++id) {
    const ir::Node& node = function.graph.node(id);
    const ir::Node* const found = view_before(out, node, uses);
    if (found == nullptr) {
      out.copy(id);
      continue;
    }
    const ir::Node view = *found;  // adding nodes moves them
    ir::ValueIds in;
    for (const ir::ValueId old : node.inputs) {
      const ir::ValueId input = out.at(old);
      const bool is_number = out.graph().value(input).type.rank() == 0;
      in.push_back(is_number ? input : out.maker_of(input)->inputs[0]);
    }
    const Type type{function.graph.value(node.outputs[0]).type.dtype,
                    out.graph().value(view.inputs[0]).type.shape};
    const ir::ValueId made = out.add(id, *node.op, in, node.attrs, type);
    out.put(id, *view.op, {made}, view.attrs);
  }
  return out.finish();
}

}  // namespace weft::compile
