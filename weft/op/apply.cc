// The one door: asks the context once, then computes now or hands over to a level.
#include "weft/op/apply.h"

#include <algorithm>

#include "weft/base/fail_at.h"
#include "weft/op/builtin.h"
#include "weft/op/context.h"
#include "weft/op/followed.h"
#include "weft/op/observe.h"
#include "weft/op/promote.h"
#include "weft/op/record.h"
#include "weft/op/registry.h"

namespace weft {

namespace {

uint32_t top_level(TensorSpan in) {
  uint32_t top = 0;
  for (const Tensor& t : in) top = std::max(top, t.level());
  return top;
}

// A tracer whose transformation has ended, or runs on another thread.
[[noreturn]] void fail_escaped(const OpDef& op, TensorSpan in, uint32_t level) {
  for (const Tensor& t : in) {
    if (t.level() != level) continue;
    const Tracer& tracer = *static_cast<const Tracer*>(t.node());
    if (level == kTypeOnlyLevel) {
      fail(Code::kInvalid, op.name, "saves",
           "a gradient rule reads the value of an input that it said it does not read; add it to "
           "what the rule reads");
    }
    fail(Code::kInvalid, op.name, "escaped", "an input (", tracer.type->describe(&tracer),
         ") belongs to a transformation that has ended, or that runs on another thread; return it "
         "from the transformed function instead");
  }
  __builtin_unreachable();
}

// A graph takes ops on its values outside of its scope, too.
Level* home_of(TensorSpan in, uint32_t level) {
  for (const Tensor& t : in) {
    if (t.level() != level || t.is_concrete()) continue;
    const Tracer& tracer = *static_cast<const Tracer*>(t.node());
    return tracer.type->home == nullptr ? nullptr : tracer.type->home(&tracer);
  }
  return nullptr;
}

// Values of a tape that has ended are plain again.
Tensors outside_of_tape(TensorSpan in, uint32_t level) {
  Tensors out;
  for (const Tensor& t : in) out.push_back(t.level() == level ? outside_of_tape(t) : t);
  return out;
}

Tensors interpret(const OpDef& op, TensorSpan in, const void* attrs, Where where) {
  const uint32_t top = top_level(in);
  if (context.scope != nullptr && context.scope->id > top) {
    return context.scope->interpret(op, in, attrs, where);
  }
  if (top == 0) {
    Tensors out =
        context.is_observed ? compute_observed(op, in, attrs, where) : eager_compute(op, in, attrs);
    if (context.followed != nullptr) note_computed(in, out);
    return out;
  }
  if (top == kTapeLevel) return grad_step(kTapeLevel, op, in, attrs, where);
  if (Level* const level = find_level(top)) return level->interpret(op, in, attrs, where);
  if (Level* const level = home_of(in, top)) return level->interpret(op, in, attrs, where);
  if (top == kTypeOnlyLevel || !is_tape_level(top)) fail_escaped(op, in, top);
  return interpret(op, outside_of_tape(in, top), attrs, where);
}

// The highest level of the inputs, if the ways below may take them: all defined, no graph open,
// nobody observing.
constexpr uint32_t kNotSimple = UINT32_MAX;
uint32_t simple_level(TensorSpan in) {
  uint32_t levels = 0;
  for (const Tensor& t : in) {
    if (!t.defined()) return kNotSimple;
    levels |= t.level();
  }
  return context.is_special ? kNotSimple : levels;
}

// The name of input i: "x", or "xs[1]" for a tensor of a variadic input, which is the last one.
std::string input_name(const ArgList& inputs, size_t i) {
  if (inputs.size() == 0) return "";
  const size_t last = inputs.size() - 1;
  const std::string_view spec = inputs[std::min(i, last)];
  const std::string_view name = spec.substr(0, spec.find_first_of("?.:"));
  const bool is_variadic = spec.substr(name.size()).starts_with("...");
  return is_variadic ? text(name, "[", i - last, "]") : std::string(name);
}

// "in add(a: float32[3], b: int64[2])", with the attributes behind the inputs.
template <class Def>
std::string describe_call(const Def& op, TensorSpan in, const void* attrs) {
  constexpr size_t kMostShown = 8;
  std::string out;
  const auto add = [&](const auto&... pieces) { out += text(out.empty() ? "" : ", ", pieces...); };
  for (size_t i = 0; i < in.size() && i < kMostShown; ++i) {
    const std::string type = in[i].defined() ? text(in[i].dtype(), in[i].shape()) : "none";
    add(input_name(op.inputs, i), ": ", type);
  }
  if (in.size() > kMostShown) add("...");
  const std::string fields = print_attrs(*op.attrs, attrs);
  if (!fields.empty()) add(fields);
  return text("in ", op.name, "(", out, ")");
}

// Says which call raised, with the types of its arguments, and last where it was.
template <class Def>
[[noreturn]] void rethrow_with_call(Error& error, const Def& op, TensorSpan in, const void* attrs,
                                    Where where) {
  if (where.known() && !error.notes.empty() &&
      error.notes.back() == text("called at ", to_string(where))) {
    error.notes.pop_back();
  }
  error.note(describe_call(op, in, attrs));
  throw note_line(error, where);
}

// Is this the bare name of an op, or of a part of one ("softmax.vjp")?
bool is_name_of_op(std::string_view name) {
  const std::string_view whole = name.substr(0, name.find('.'));
  for (const OpEntry* entry : registered_ops()) {
    if (entry->name == name || entry->name == whole) return true;
  }
  return false;
}

// What an op inside a composite finds wrong is said in the name of the composite, which is what was
// called; the notes keep the inner call. A missing rule stays that of the inner op.
void speak_as(Error& error, std::string_view name) {
  const bool is_of_arguments = error.code == Code::kInvalid || error.code == Code::kType ||
                               error.code == Code::kIndex || error.code == Code::kOverflow;
  if (!is_of_arguments || error.op == name || !is_name_of_op(error.op)) return;
  Error named(error.code, std::string(name), error.law, error.message);
  for (const std::string& line : error.notes) named.note(line);
  error = named;
}

Tensors apply_slowly(const OpDef& op, TensorSpan in, const void* attrs, Where where) {
  try {
    return interpret(op, prepare_inputs(op, in, where), attrs, where);
  } catch (Error& error) {
    rethrow_with_call(error, op, in, attrs, where);
  }
}

}  // namespace

Tensor apply_one(const OpDef& op, TensorSpan in, const void* attrs, Where where) {
  if (op.simpler != nullptr) [[unlikely]] {
    if (Tensor out = op.simpler(in, where); out.defined()) return out;
  }
  const uint32_t levels = simple_level(in);
  if (levels <= kTapeLevel) [[likely]] {
    Tensor out = levels == 0 ? eager_fast(op, in) : tape_fast(op, in, where);
    if (out.defined()) [[likely]]
      return out;
  }
  return std::move(apply_slowly(op, in, attrs, where)[0]);
}

Tensors apply_all(const OpDef& op, TensorSpan in, const void* attrs, Where where) {
  return apply_slowly(op, in, attrs, where);
}

Tensors apply_prepared(const OpDef& op, TensorSpan in, const void* attrs, Where where) {
  if (simple_level(in) == 0) {
    Tensors out;
    if (op.kernel.kind == KernelKind::kVjp && eager_backward_fast(op, in, out)) return out;
    if (op.kernel.kind == KernelKind::kElementwise) {
      out.push_back(eager_fast(op, in));
      if (out[0].defined()) return out;
    }
  }
  return interpret(op, in, attrs, where);
}

Tensors compose_all(const CompositeDef& op, TensorSpan in, const void* attrs, Where where) {
  const CalledFrom line(where);
  try {
    return op.compose(attrs, given_inputs(op, in));
  } catch (Error& error) {
    speak_as(error, op.name);
    rethrow_with_call(error, op, in, attrs, where);
  }
}

Types infer_types(const OpDef& op, TypeSpan in, const void* attrs) {
  const Types prepared = prepare_types(op, in);
  return op.infer(attrs, InferCtx{op.name}, prepared);
}

}  // namespace weft
