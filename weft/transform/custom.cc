// Custom functions as an op whose attributes are the call.
#include "weft/transform/custom.h"

#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/op/per_example.h"
#include "weft/op/registry.h"
#include "weft/transform/custom_call.h"
#include "weft/transform/left_out.h"

namespace weft {

void fail_closure(std::string_view name) {
  fail(Code::kInvalid, name, "closure",
       "reads a value that is differentiated or batched and is not among its arguments; pass it "
       "as an argument, or detach it");
}

namespace {

int source_of(const Tensor& saved, TensorSpan in, TensorSpan out) {
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i].node() == saved.node()) return static_cast<int>(i);
  }
  for (size_t k = 0; k < out.size(); ++k) {
    if (out[k].node() == saved.node()) return static_cast<int>(in.size() + k);
  }
  return -1;
}

}  // namespace

Tensors CustomCall::forward(TensorSpan in) {
  Tensors out = rules->forward(context, in);
  for (const Tensor& t : out) {  // it was called with plain values
    if (t.defined() && !t.is_concrete()) fail_closure(rules->name);
  }
  for (const Tensor& saved : context.saved_) sources.push_back(source_of(saved, in, out));
  return out;
}

Tensors CustomCall::traced_forward(TensorSpan in) {
  Tensors out = rules->forward(context, in);
  for (const Tensor& saved : context.saved_) sources.push_back(source_of(saved, in, out));
  for (size_t k = 0; k < sources.size(); ++k) {
    if (sources[k] < 0) out.push_back(context.saved_[k]);
  }
  return out;
}

void CustomCall::set_saved(TensorSpan others) {
  size_t next = 0;
  for (size_t k = 0; k < sources.size(); ++k) {
    if (sources[k] < 0) context.saved_[k] = others[next++];
  }
}

CustomCall CustomCall::without_values() const {
  CustomCall out = *this;
  for (Tensor& saved : out.context.saved_) saved = Tensor();
  return out;
}

CustomContext CustomCall::seen_from(const GradCtx& cx) const {
  CustomContext out = context;
  out.wanted_.assign(cx.wanted.begin(), cx.wanted.end());
  for (size_t k = 0; k < sources.size(); ++k) {
    if (sources[k] < 0) continue;
    const auto i = static_cast<size_t>(sources[k]);
    out.saved_[k] = i < cx.inputs.size() ? cx.inputs[i] : cx.outputs[i - cx.inputs.size()];
  }
  return out;
}

void CustomCall::take_context(const CustomCall& example) {
  for (const int source : example.sources) {
    if (source < 0) {
      fail(Code::kMissing, rules->name, "batch",
           "saves a tensor that is neither an input nor an output, which differs between the "
           "examples of a batch; save inputs and outputs, and compute the rest in backward");
    }
  }
  context = example.context;
  sources = example.sources;
}

namespace {

struct CustomAttrs {
  Shared<CustomCall> call;
};

const CustomCall& call_of(const CustomAttrs& attrs) { return *attrs.call; }

constexpr AttrsType kCustomAttrs{sizeof(CustomAttrs),
                                 alignof(CustomAttrs),
                                 {},
                                 [](void* at) { new (at) CustomAttrs; },
                                 [](void* at, const void* from) {
                                   new (at) CustomAttrs(*static_cast<const CustomAttrs*>(from));
                                 },
                                 [](void* at) { static_cast<CustomAttrs*>(at)->~CustomAttrs(); }};

Types no_types(const CustomAttrs&, const InferCtx&, TypeSpan) { return {}; }

Tensors run(const CustomAttrs& attrs, TensorSpan in, TypeSpan) { return attrs.call->forward(in); }

Types types_like(TensorSpan tensors) {
  Types out;
  for (const Tensor& t : tensors) out.push_back(t.type());
  return out;
}

// What a rule gives: one for each of `like`, of its shape and kind of dtype, or undefined. Within a
// kind the dtype is converted; what carries no derivative (an index) takes nothing.
void check(const CustomRules& rules, std::string_view rule, std::string_view what,
           std::string_view of, Tensors& given, TypeSpan like, Where where) {
  if (given.size() != like.size()) {
    fail(Code::kInvalid, rules.name, "count", "its ", rule, " gives ", given.size(), " ", what,
         given.size() == 1 ? "" : "s", ", but the function has ", like.size(), " ", of,
         like.size() == 1 ? "" : "s", "; give one for each, an undefined Tensor for those without");
  }
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i].defined() || !is_differentiable(like[i].dtype)) continue;
    if (same(given[i].shape(), like[i].shape) == Tri::kNo) {
      fail(Code::kInvalid, rules.name, "shape", "its ", rule, " gives a ", what, " of shape ",
           given[i].shape(), " for ", of, " ", i, ", whose shape is ", like[i].shape,
           "; they must be equal",
           rule == "backward" ? ": sum it over the axes that were broadcast" : "");
    }
    if (given[i].is_weak()) continue;
    if (kind_of(given[i].dtype()) != kind_of(like[i].dtype)) {
      fail(Code::kType, rules.name, "dtype", "its ", rule, " gives a ", what, " of dtype ",
           given[i].dtype(), " for ", of, " ", i, ", whose dtype is ", like[i].dtype,
           "; they must be of one kind: cast it");
    }
    if (given[i].dtype() != like[i].dtype) given[i] = cast(given[i], like[i].dtype, where);
  }
}

// If nothing else gives a gradient, the error says who left it out.
void note_left_out(std::string_view name, TensorSpan gradients, const GradCtx& cx) {
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i].defined() || !cx.wanted[i]) continue;
    LeftOut::note(text("the backward of ", name, " gives nothing for input ", i));
  }
}

Tensors vjp(const CustomAttrs& attrs, const GradCtx& cx, TensorSpan cotangents) {
  const CustomCall& call = call_of(attrs);
  if (call.rules->backward) return call.backward(cx, cotangents);
  const auto pushed = [&](TensorSpan tangents) { return call.jvp(cx, tangents); };
  const Linearization rule = linear_map(pushed, cx.inputs, cx.where);
  require_linear(rule, call.rules->name);
  return rule.pull(cotangents);
}

Tensors jvp(const CustomAttrs& attrs, const GradCtx& cx, TensorSpan tangents) {
  const CustomCall& call = call_of(attrs);
  if (call.rules->jvp) return call.jvp(cx, tangents);
  const CustomContext context = call.seen_from(cx);
  const auto pulled = [&](TensorSpan cotangents) {
    Tensors out = call.rules->backward(context, cotangents);
    check_gradients(*call.rules, out, types_like(cx.inputs), cx.where);
    return with_zeros(std::move(out), cx.inputs, cx.where);
  };
  return linear_map(pulled, cx.outputs, cx.where).pull(tangents);
}

extern const OpDef kCustom;

// The function on one example; what it saves there tells what it saves of each.
Tensors run_example(const CustomAttrs& attrs, TensorSpan in, bool takes_context, Where where) {
  CustomAttrs example{new_shared<CustomCall>()};
  example.call->rules = call_of(attrs).rules;
  Tensors out = apply_prepared(kCustom, in, &example, where);
  if (takes_context) attrs.call->take_context(*example.call);
  return out;
}

Tensors by_own_rule(const CustomAttrs& attrs, const BatchCtx& cx) {
  const CustomRules& rules = *call_of(attrs).rules;
  if (rules.backward && cx.size.value() > 0) {
    run_example(attrs, inputs_of_example(cx, 0), true, cx.where);
  }
  Tensors out = rules.batch(cx);
  for (size_t k = 0; k < out.size(); ++k) {
    if (out[k].rank() > 0 && out[k].shape()[0] == cx.size) continue;
    fail(Code::kInvalid, rules.name, "batch", "its batching rule gives output ", k, " of shape ",
         out[k].shape(), ", whose first axis must count the ", cx.size, " examples");
  }
  return out;
}

// One call for the whole batch, which levels below record as they would that of an example.
Tensors by_its_ops(const CustomAttrs& attrs, const BatchCtx& cx) {
  const auto example = new_shared<CustomCall>();
  example->rules = call_of(attrs).rules;
  CustomAttrs whole{new_shared<CustomCall>()};
  whole.call->rules = CustomCall::rules_of_batch(example, cx);
  Tensors out = apply_prepared(kCustom, cx.inputs, &whole, cx.where);
  attrs.call->take_batch(*example, *whole.call);
  return out;
}

Tensors batched(const CustomAttrs& attrs, const BatchCtx& cx) {
  const CustomRules& rules = *call_of(attrs).rules;
  if (rules.batch) return by_own_rule(attrs, cx);
  if (!rules.per_example) return by_its_ops(attrs, cx);
  bool is_first = true;
  const auto run_one = [&](TensorSpan in) {
    return run_example(attrs, in, std::exchange(is_first, false), cx.where);
  };
  return per_example(cx, run_one, rules.name, "it says so");
}

constinit const OpDef kCustom{
    .name = "custom",
    .doc = "A function with rules of its own.",
    .inputs = {"xs...: any"},
    .outputs = {"out...: any"},
    .attrs = &kCustomAttrs,
    .infer = rule<no_types>(),
    .grad = derive::rules<vjp, jvp>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::host<run>(),
};

}  // namespace

void check_gradients(const CustomRules& rules, Tensors& given, TypeSpan inputs, Where where) {
  check(rules, "backward", "gradient", "input", given, inputs, where);
}

Tensors CustomCall::backward(const GradCtx& cx, TensorSpan cotangents) const {
  Tensors given(cotangents);
  if (rules->fill_cotangents) given = with_zeros(std::move(given), cx.outputs, cx.where);
  Tensors out = rules->backward(seen_from(cx), given);
  check_gradients(*rules, out, types_like(cx.inputs), cx.where);
  note_left_out(rules->name, out, cx);
  return out;
}

Tensors CustomCall::jvp(const GradCtx& cx, TensorSpan tangents) const {
  Tensors out = rules->jvp(cx.inputs, tangents);
  check(*rules, "jvp", "tangent", "output", out, types_like(cx.outputs), cx.where);
  return out;
}

Shared<CustomCall> custom_call_of(const OpDef& op, const void* attrs) {
  return &op == &kCustom ? static_cast<const CustomAttrs*>(attrs)->call : nullptr;
}

Linearization linear_map(FlatFunction linear, TensorSpan like, Where where) {
  return Linearization(linear, with_zeros(Tensors(like.size()), like, where), where);
}

void require_linear(const Linearization& rule, std::string_view name) {
  const GradNode* const record = rule.first_nonlinear();
  if (record == nullptr) return;
  fail(Code::kInvalid, name, "linear", "its jvp is not linear in the tangents: the derivative of ",
       record->op->name,
       " depends on them, and a backward pass needs a linear rule; make it linear, or give the "
       "function a backward with custom_gradient");
}

std::string_view shown_name(const OpDef& op, const void* attrs) {
  if (&op != &kCustom) return op.name;
  return call_of(*static_cast<const CustomAttrs*>(attrs)).rules->name;
}

Tensors apply_custom(Shared<const CustomRules> rules, TensorSpan in, Where where) {
  CustomAttrs attrs{new_shared<CustomCall>()};
  attrs.call->rules = std::move(rules);
  for (size_t i = 0; i < in.size(); ++i) {
    if (!in[i].defined())
      fail(Code::kType, attrs.call->rules->name, "input", "input ", i, " is an undefined tensor");
  }
  return apply_prepared(kCustom, in, &attrs, where);
}

}  // namespace weft
