// Values under tracers, and the error where there is none.
#include "bindings/value.h"

#include "weft/base/error.h"
#include "weft/op/levels.h"
#include "weft/op/record.h"

namespace weft::python {
namespace {

// The value under all tracers; else the tracer that has none.
const Node* bottom_of(const Tensor& tensor) {
  const Node* node = tensor.node();
  while (node->kind == NodeKind::kTracer) {
    const Tracer* const tracer = static_cast<const Tracer*>(node);
    const Node* const below = tracer->type->value(tracer);
    if (below == nullptr) break;
    node = below;
  }
  return node;
}

}  // namespace

bool has_value(const Tensor& tensor) { return bottom_of(tensor)->kind == NodeKind::kConcrete; }

Tensor value_of(const Tensor& tensor, std::string_view what, std::string_view instead) {
  Node* const node = const_cast<Node*>(bottom_of(tensor));
  if (node->kind == NodeKind::kConcrete) {
    retain(node);
    return Tensor::adopt(node);
  }
  fail(Code::kType, "tensor", "concrete", what, " needs a value, but a tensor of type ",
       tensor.type(), " has none inside of ", static_cast<const Tracer*>(node)->type->name,
       ", where it stands for all examples at once; ", instead);
}

void require_no_gradient(const Tensor& tensor, std::string_view what) {
  if (!is_differentiable(tensor.dtype())) return;
  for (Tensor t = tensor; t.defined() && !t.is_concrete(); t = value_below(t)) {
    GradNode* const record = grad_node(t);
    if (record != nullptr && record->is_stop()) return;
    if (is_tape_level(t.level()) || find_level(t.level()) == nullptr) continue;
    fail(Code::kType, "tensor", "gradient", what, " of a tensor that ",
         static_cast<const Tracer*>(t.node())->type->name,
         " differentiates would be a constant, and its gradient lost; compute with weft's "
         "functions, or take stop_gradient(x) first");
  }
}

void require_plain(const Tensor& tensor, std::string_view what) {
  for (const Node* node = tensor.node(); node->kind == NodeKind::kTracer;) {
    const Tracer* const tracer = static_cast<const Tracer*>(node);
    const bool is_live = !is_tape_level(node->level) && find_level(node->level) != nullptr;
    if (is_live) {
      fail(Code::kType, "tensor", "concrete", what, " needs a plain value, but a tensor of type ",
           tensor.type(), " is under ", tracer->type->name,
           " here; take what the transformed function returns");
    }
    node = tracer->type->value(tracer);
    if (node == nullptr) return;
  }
}

}  // namespace weft::python
