// concrete_value for Python's conversions and arguments.
#include "bindings/value.h"

#include "weft/base/error.h"
#include "weft/op/levels.h"

namespace weft::python {

Tensor value_of(const Tensor& tensor, std::string_view what, std::string_view in_vmap,
                std::string_view in_trace) {
  return concrete_value(tensor, {"tensor", what, in_vmap, /*is_aside=*/true, in_trace});
}

Tensor constant_of(const Tensor& tensor, std::string_view what) {
  return concrete_value(tensor, {"tensor", what});
}

Tensor argument_value(PyObject* object, Asker asker) {
  return concrete_value(tensor_from(object, asker), {asker.op, asker.argument});
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

void install_value_hints() {
  set_value_hints({.in_graph =
                       "fetch it with session.run(x), branch on it by wf.cond or wf.while_loop, or "
                       "compute what is known now in `with wf.eager():`",
                   .in_trace = kInsteadOfReading});
}

}  // namespace weft::python
