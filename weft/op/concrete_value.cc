// Finds the value below a tensor's tracers, and raises the errors for tensors without one.
#include "weft/op/concrete_value.h"

#include "weft/base/error.h"
#include "weft/core/lowest_node.h"
#include "weft/op/levels.h"
#include "weft/op/record.h"

namespace weft {
namespace {

ValueHints hints;

// Is the tracer's level still open to compute gradients, and its record not freed?
bool is_followed_here(const Tensor& t, GradNode* node, bool by_tapes) {
  if (!is_recording(t.level())) return false;
  if (t.level() != kTapeLevel && find_level(t.level()) == nullptr) return false;
  if (is_tape_level(t.level())) {
    return by_tapes && RecordOutput(node).record->state.load_acquire() != kRecordFreed;
  }
  // A checkpoint recomputes its function under the transformation that differentiates it.
  const std::string_view name = static_cast<const Tracer*>(t.node())->type->name;
  return name != "checkpoint";
}

// The outermost of a tensor's tracers that a level differentiates; undefined if there is none.
Tensor followed_part(const Tensor& tensor, bool by_tapes) {
  if (!is_differentiable(tensor.dtype())) return {};
  for (Tensor t = tensor; t.defined() && !t.is_concrete(); t = value_below(t)) {
    GradNode* const node = grad_node(t);
    if (node != nullptr && node->is_stop()) return {};
    if (is_followed_here(t, node, by_tapes)) return t;
  }
  return {};
}

// `lowest` is the tracer under `tensor` that has no value.
[[noreturn]] void fail_without_value(const Tensor& tensor, const Tracer& lowest,
                                     const ValueReader& reader) {
  const std::string_view kind = lowest.type->name;
  const auto fail_because = [&](const auto&... why) {
    fail(Code::kType, reader.who, "concrete", reader.what, " needs a value, but a tensor of type ",
         tensor.type(), why...);
  };
  const bool is_staged = kind == "graph";
  if (is_staged && lowest.type->home(&lowest) != nullptr) {
    fail_because(" is part of a graph and has one only in a run; ", hints.in_graph);
  }
  const bool is_open = find_level(lowest.level) != nullptr;
  if (!is_open && (is_staged || kind == "vmap")) {
    fail_because(" (", lowest.type->describe(&lowest), ") belongs to ",
                 is_staged ? "the trace of a function" : "a vmap",
                 " that has ended, or that runs on another thread; return it from that function");
  }
  if (is_staged) {
    fail_because(" has none while a graph is made; ",
                 reader.in_trace.empty() ? hints.in_trace : reader.in_trace);
  }
  if (kind == "vmap") {
    fail_because(" has none inside of vmap, where it stands for all examples at once; ",
                 reader.in_vmap);
  }
  fail_because(" has none here (it is ", lowest.type->describe(&lowest),
               "); give one with a value");
  __builtin_unreachable();
}

}  // namespace

void set_value_hints(const ValueHints& in_language) { hints = in_language; }

bool has_concrete_value(const Tensor& tensor) {
  return tensor.defined() && lowest_node(tensor.node())->kind == NodeKind::kConcrete;
}

Tensor concrete_value(const Tensor& tensor, const ValueReader& reader) {
  if (!tensor.defined()) {
    fail(Code::kType, reader.who, "concrete", reader.what,
         " needs a value, but it is an undefined tensor; give one with a value");
  }
  if (tensor.is_concrete()) return tensor;
  const TensorNode* const lowest = lowest_node(tensor.node());
  if (lowest->kind != NodeKind::kConcrete) {
    fail_without_value(tensor, *static_cast<const Tracer*>(lowest), reader);
  }
  if (!reader.is_aside) require_no_gradient(tensor, reader);
  auto* const node = const_cast<TensorNode*>(lowest);
  retain(node);
  return Tensor::adopt(node);
}

void require_concrete(std::string_view who, TensorSpan in) {
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i].defined() && in[i].is_concrete()) [[likely]]
      continue;
    const auto* const tracer = static_cast<const Tracer*>(in[i].node());
    fail(Code::kType, who, "concrete", "input ", i, " is ",
         in[i].defined() ? tracer->type->describe(tracer) : "undefined",
         ", and its memory was to be read; give it as a value");
  }
}

void require_no_gradient(const Tensor& tensor, const ValueReader& reader) {
  const Tensor t = followed_part(tensor, /*by_tapes=*/false);
  if (!t.defined()) return;
  fail(Code::kType, reader.who, "gradient", reader.what, " of a tensor that ",
       static_cast<const Tracer*>(t.node())->type->name,
       " differentiates would be a constant, and its gradient lost; compute with weft's "
       "functions, or take stop_gradient(x) first");
}

bool is_followed(const Tensor& tensor) {
  return followed_part(tensor, /*by_tapes=*/true).defined();
}

}  // namespace weft
