// fold_constants: computes what depends on constants alone.
//
//   %a = constant() {value=2}   ->
//   %b = exp(%a)                     %b = constant() {value=7.389056}
#include "weft/base/error.h"
#include "weft/compile/passes.h"
#include "weft/compile/rewrite.h"
#include "weft/op/apply.h"
#include "weft/state/state.h"

namespace weft::compile {
namespace {

constexpr int64_t kMostBytes = 65536;  // a constant is kept for good

bool has_functions(const OpDef& op) {
  for (const FieldInfo& field : op.attrs->fields) {
    if (field.type == FieldType::kFunction || field.type == FieldType::kFunctions) return true;
  }
  return false;
}

bool is_small(const Type& type) {
  for (const Dim dim : type.shape) {
    if (!dim.is_known()) return false;
  }
  return num_elements(type.shape).value() <= kMostBytes / size_of(type.dtype);
}

// The value of the only output, if all inputs are constants; undefined if not, or if it raises:
// then it does so when it runs, if it does.
Tensor folded(const Rewrite& out, const ir::Node& node) {
  if (node.op == &kConstant || node.op == &kPlaceholder || node.outputs.size() != 1) return {};
  if (node.inputs.empty() || !is_pure(node) || has_functions(*node.op)) return {};
  if (has_symbols(*node.op->attrs, node.attributes())) return {};
  Tensors in;
  for (const ir::ValueId input : out.inputs_of(node)) {
    const ir::Node* const maker = input == ir::kNone ? nullptr : out.maker_of(input);
    if (maker == nullptr || maker->op != &kConstant) return {};
    in.push_back(static_cast<const ConstantAttrs*>(maker->attributes())->value);
  }
  try {
    return eager_compute(*node.op, in, node.attributes())[0];
  } catch (const Error& error) {
    if (error.code == Code::kInterrupted) throw;
    return {};
  }
}

}  // namespace

FunctionPtr fold_constants(const ir::Function& function) {
  Rewrite out(function);
  for (ir::NodeId id = 0; id < function.graph.nodes().size(); ++id) {
    const ir::Node& node = function.graph.node(id);
    const bool may_be =
        node.outputs.size() == 1 && is_small(function.graph.value(node.outputs[0]).type);
    const Tensor value = may_be ? folded(out, node) : Tensor();
    if (!value.defined()) {
      out.copy(id);
      continue;
    }
    const ConstantAttrs attrs{value};
    out.put(id, kConstant, {}, ir::keep(*kConstant.attrs, &attrs));
  }
  return out.finish();
}

}  // namespace weft::compile
