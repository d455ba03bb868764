// Ops whose attribute is a callable of the program that traces: what it does becomes a function.
#include <algorithm>

#include "weft/base/error.h"
#include "weft/control/custom_call.h"
#include "weft/control/ops.h"
#include "weft/control/rules.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/trace/quiet.h"
#include "weft/trace/trace.h"
#include "weft/transform/checkpoint.h"

namespace weft {
namespace {

Tensors strong(TensorSpan in, Where where) {
  Tensors out;
  for (const Tensor& t : in) out.push_back(t.is_weak() ? cast(t, t.dtype(), where) : t);
  return out;
}

void add_parameters(std::vector<TraceParameter>& out, TensorSpan like, std::string_view name) {
  for (const Tensor& t : like) out.push_back({t.type(), std::string(name), {}});
}

bool is_tracing_rule() {
  return std::ranges::any_of(open_levels(), [](const Level* level) {
    return level->stages() && static_cast<const Staging*>(level)->is_rule;
  });
}

bool writes(const Trace& trace) {
  return std::ranges::any_of(trace.captured, [](const Captured& one) { return one.is_written; });
}

// A call of a custom function, on its way into a graph.
class CustomStaging {
 public:
  CustomStaging(const Staging& staging, const Shared<CustomCall>& call, TensorSpan in, Where where)
      : staging_(staging), call_(*call), in_(strong(in, where)), inputs_(in_), where_(where) {
    attrs_.name = call->rules->name;
  }

  Tensors run() {
    std::vector<TraceParameter> parameters;
    add_parameters(parameters, in_, "x");
    const auto forward = [&](TensorSpan x) { return call_.traced_forward(x); };
    const Trace trace = trace_flat(forward, parameters, {.name = attrs_.name});
    const ir::Function& function = *trace.function;
    attrs_.function = trace.function;
    attrs_.host = new_shared<CustomCall>(call_.without_values());
    attrs_.arguments = static_cast<int64_t>(in_.size());
    attrs_.saved = std::ranges::count(call_.sources, -1);
    attrs_.outputs = static_cast<int64_t>(trace.result_count) - attrs_.saved;
    for (size_t k = 0; k < trace.result_count; ++k) results_.push_back(function.result_type(k));
    for (const Tensor& t : trace.captured_values(where_)) {
      if (t.level() > staging_.id) fail_closure(attrs_.name);
      inputs_.push_back(t);
    }
    // The rules of functions inside of rules are called when they are needed: they may go on
    // without end.
    if (!is_tracing_rule() && call_.rules->is_traced) {
      if (call_.rules->backward) trace_backward();
      if (call_.rules->jvp) trace_jvp();
    }
    const Tensors out = apply_prepared(kCustomCall, inputs_, &attrs_, where_);
    trace.store_written(out, where_);
    const auto outputs = static_cast<size_t>(attrs_.outputs);
    call_.set_saved(TensorSpan(out).subspan(outputs, static_cast<size_t>(attrs_.saved)));
    return Tensors(TensorSpan(out).first(outputs));
  }

 private:
  // A rule that draws or assigns would do so in the graph of its own: it stays where it is.
  bool keep(const Trace& trace, FunctionsAttr& rule) {
    if (writes(trace)) return false;
    for (Tensor t : trace.captured_values(where_)) {
      // A transformation in between runs the rule itself; this one is for those around the graph.
      while (t.level() > staging_.id) t = value_below(t);
      inputs_.push_back(t);
    }
    rule = {trace.function};
    return true;
  }

  void trace_backward() {
    const auto outputs = static_cast<size_t>(attrs_.outputs);
    std::vector<TraceParameter> parameters;
    add_parameters(parameters, in_, "x");
    for (size_t k = 0; k < results_.size(); ++k) {
      parameters.push_back({results_[k], k < outputs ? "out" : "saved", {}});
    }
    for (size_t k = 0; k < outputs; ++k) {
      if (is_differentiable(results_[k].dtype)) parameters.push_back({results_[k], "g", {}});
    }
    Ints gives;
    const auto backward = [&](TensorSpan all) {
      const TensorSpan arguments = all.first(in_.size());
      const TensorSpan given = all.subspan(in_.size(), outputs);
      CustomCall seen = call_;
      seen.set_saved(all.subspan(in_.size() + outputs, results_.size() - outputs));
      InlineVector<bool, 8> wanted;
      for (const Tensor& t : arguments) wanted.push_back(is_differentiable(t.dtype()));
      Tensors cotangents;
      size_t next = in_.size() + results_.size();
      for (size_t k = 0; k < outputs; ++k) {
        const bool has_one = is_differentiable(results_[k].dtype);
        cotangents.push_back(has_one ? all[next++] : Tensor());
      }
      const Tensors found = seen.backward({arguments, given, wanted, where_}, cotangents);
      Tensors out;
      for (size_t i = 0; i < found.size(); ++i) {
        if (!found[i].defined() || !wanted[i]) continue;
        gives.push_back(static_cast<int64_t>(i));
        out.push_back(strong(TensorSpan(&found[i], 1), where_)[0]);
      }
      return out;
    };
    const Trace trace =
        trace_flat(backward, parameters, {.name = text(attrs_.name, ".backward"), .is_rule = true});
    if (keep(trace, attrs_.backward)) attrs_.gives = gives;
  }

  void trace_jvp() {
    std::vector<TraceParameter> parameters;
    add_parameters(parameters, in_, "x");
    for (const Tensor& t : in_) {
      if (is_differentiable(t.dtype())) parameters.push_back({t.type(), "t", {}});
    }
    const auto outputs = static_cast<size_t>(attrs_.outputs);
    const auto rule = [&](TensorSpan all) {
      Tensors tangents;
      size_t next = in_.size();
      for (const Tensor& t : in_) {
        tangents.push_back(is_differentiable(t.dtype()) ? all[next++] : Tensor());
      }
      // Only the types of the outputs are looked at.
      Tensors like;
      for (size_t k = 0; k < outputs; ++k) {
        like.push_back(zeros(results_[k].shape, results_[k].dtype, where_));
      }
      const GradCtx cx{all.first(in_.size()), like, {}, where_};
      const Tensors found = with_zeros(call_.jvp(cx, tangents), like, where_);
      Tensors out;
      for (size_t k = 0; k < outputs; ++k) {
        if (!is_differentiable(results_[k].dtype)) continue;
        out.push_back(strong(TensorSpan(&found[k], 1), where_)[0]);
      }
      return out;
    };
    keep(trace_flat(rule, parameters, {.name = text(attrs_.name, ".jvp"), .is_rule = true}),
         attrs_.jvp);
  }

  const Staging& staging_;
  CustomCall& call_;
  const Tensors in_;
  Tensors inputs_;
  Types results_;  // outputs and what is saved
  const Where where_;
  CustomCallAttrs attrs_;
};

// A call that computes itself again in derivatives. What computed the values already is read by
// nobody then: all that is left of it is what it prints.
Tensors staged_checkpoint(const CheckpointedCall& call, TensorSpan in, Where where) {
  Tensors inputs = strong(in.first(call.inputs), where);
  std::vector<TraceParameter> parameters;
  add_parameters(parameters, inputs, "x");
  const auto run = [&](TensorSpan x) { return call.run(x); };
  const Trace trace = trace_flat(run, parameters, {.name = "checkpoint"});
  if (writes(trace)) return Tensors(in.subspan(call.inputs));  // the values, once
  for (const Tensor& t : trace.captured_values(where)) inputs.push_back(t);
  const CheckpointCallAttrs attrs{quiet(trace.function)};
  return apply_prepared(kCheckpointCall, inputs, &attrs, where);
}

}  // namespace

Tensors staged_host_call(Staging& staging, const OpDef& op, TensorSpan in, const void* attrs,
                         Where where) {
  register_control_ops();
  if (const Shared<CustomCall> call = custom_call_of(op, attrs)) {
    return CustomStaging(staging, call, in, where).run();
  }
  return staged_checkpoint(*checkpointed_call_of(op, attrs), in, where);
}

}  // namespace weft
