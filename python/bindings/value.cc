// Values under tracers, and the error where there is none.
#include "bindings/value.h"

#include "weft/base/error.h"
#include "weft/op/levels.h"
#include "weft/op/record.h"
#include "weft/trace/staging.h"

namespace weft::python {
namespace {

// The value under all tracers; else the tracer that has none.
const TensorNode* bottom_of(const Tensor& tensor) {
  const TensorNode* node = tensor.node();
  while (node->kind == NodeKind::kTracer) {
    const Tracer* const tracer = static_cast<const Tracer*>(node);
    const TensorNode* const below = tracer->type->value(tracer);
    if (below == nullptr) break;
    node = below;
  }
  return node;
}

// Is this tracer's level there to give gradients, now that the record is as it is?
bool is_followed_here(const Tensor& t, GradNode* node, bool by_tapes) {
  if (!is_recording(t.level())) return false;
  if (t.level() != kTapeLevel && find_level(t.level()) == nullptr) return false;
  if (is_tape_level(t.level())) {
    return by_tapes && RecordOutput(node).record->state.load_acquire() != kRecordFreed;
  }
  // What is inside of a checkpoint runs again, followed by what differentiates it.
  const std::string_view name = static_cast<const Tracer*>(t.node())->type->name;
  return name != "checkpoint";
}

// The tensor, or what is below its tracers, that a level differentiates; undefined if none does.
Tensor followed_part(const Tensor& tensor, bool by_tapes) {
  if (!is_differentiable(tensor.dtype())) return {};
  for (Tensor t = tensor; t.defined() && !t.is_concrete(); t = value_below(t)) {
    GradNode* const node = grad_node(t);
    if (node != nullptr && node->is_stop()) return {};
    if (is_followed_here(t, node, by_tapes)) return t;
  }
  return {};
}

}  // namespace

bool has_value(const Tensor& tensor) { return bottom_of(tensor)->kind == NodeKind::kConcrete; }

Tensor value_of(const Tensor& tensor, std::string_view what, std::string_view instead) {
  TensorNode* const node = const_cast<TensorNode*>(bottom_of(tensor));
  if (node->kind == NodeKind::kConcrete) {
    retain(node);
    return Tensor::adopt(node);
  }
  const Staging* const staging = staging_of(reinterpret_cast<const Tensor&>(node));
  if (staging != nullptr && staging->kind() == Staging::Kind::kGraph) {
    fail(Code::kType, "tensor", "concrete", what, " needs a value, but a tensor of type ",
         tensor.type(),
         " is part of a graph and has one only in a run; fetch it with session.run(x), ",
         "branch on it by wf.cond or wf.while_loop, or compute what is known now in `with "
         "wf.eager():`");
  }
  if (staging != nullptr) {
    fail(Code::kType, "tensor", "concrete", what, " needs a value, but a tensor of type ",
         tensor.type(),
         " has none while a graph is made; return it from the function, compute with ops alone, "
         "use wf.cond or wf.while_loop, or let wf.function rewrite the function, which needs its "
         "source, and no locals() or exec() in it; generators, methods behind operators and what "
         "a library calls are never rewritten: branch in a function or method that is called");
  }
  fail(Code::kType, "tensor", "concrete", what, " needs a value, but a tensor of type ",
       tensor.type(), " has none inside of ", static_cast<const Tracer*>(node)->type->name,
       ", where it stands for all examples at once; ", instead);
}

void require_no_gradient(const Tensor& tensor, std::string_view what) {
  const Tensor t = followed_part(tensor, /*by_tapes=*/false);
  if (!t.defined()) return;
  fail(Code::kType, "tensor", "gradient", what, " of a tensor that ",
       static_cast<const Tracer*>(t.node())->type->name,
       " differentiates would be a constant, and its gradient lost; compute with weft's "
       "functions, or take stop_gradient(x) first");
}

bool is_followed(const Tensor& tensor) {
  return followed_part(tensor, /*by_tapes=*/true).defined();
}

void require_plain(const Tensor& tensor, std::string_view what) {
  for (const TensorNode* node = tensor.node(); node->kind == NodeKind::kTracer;) {
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
