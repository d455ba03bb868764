// custom_call: a function with a derivative of its own, both as functions of the graph.
#include <algorithm>

#include "weft/base/error.h"
#include "weft/control/custom_call.h"
#include "weft/control/ops.h"
#include "weft/control/rules.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/transform/left_out.h"

namespace weft {
namespace {

// Which inputs and results are what.
struct Parts {
  size_t arguments, read;            // read: those behind the arguments that the function reads
  size_t outputs, saved;             // saved: the results behind the outputs, for the rules
  size_t backward_reads, jvp_reads;  // the inputs behind all of these, for the rules
  Flags with_cotangent;              // per output
  Flags with_tangent;                // per argument

  explicit Parts(const CustomCallAttrs& at)
      : arguments(static_cast<size_t>(at.arguments)),
        read(at.function->parameter_count() - arguments),
        outputs(static_cast<size_t>(at.outputs)),
        saved(static_cast<size_t>(at.saved)) {
    for (size_t k = 0; k < outputs; ++k) {
      with_cotangent.push_back(is_differentiable(at.function->result_type(k).dtype));
    }
    for (size_t i = 0; i < arguments; ++i) {
      with_tangent.push_back(is_differentiable(at.function->parameter_type(i).dtype));
    }
    backward_reads = reads_of(at.backward, arguments + outputs + saved + count(with_cotangent));
    jvp_reads = reads_of(at.jvp, arguments + count(with_tangent));
  }

  static size_t count(const Flags& flags) {
    return static_cast<size_t>(std::ranges::count(flags, true));
  }

 private:
  static size_t reads_of(const FunctionsAttr& rule, size_t others) {
    return rule.empty() ? 0 : rule[0]->parameter_count() - others;
  }
};

Types infer_custom(const CustomCallAttrs& at, const InferCtx& cx, TypeSpan in) {
  const auto in_range = [](int64_t n, size_t most) {
    return n >= 0 && n <= static_cast<int64_t>(most);
  };
  cx.require(
      in_range(at.arguments, at.function->parameter_count()) &&
          in_range(at.outputs, at.function->results.size()) &&
          in_range(at.saved, at.function->results.size() - static_cast<size_t>(at.outputs)) &&
          at.backward.size() <= 1 && at.jvp.size() <= 1,
      "parts", "the numbers of arguments and outputs do not fit its function");
  require_places(at.gives, static_cast<size_t>(at.arguments), cx);
  const Parts parts(at);
  const size_t needed = parts.arguments + parts.read + parts.backward_reads + parts.jvp_reads;
  cx.require(needed == in.size(), "parts", "takes ", needed, " inputs, but got ", in.size());
  cx.require(at.backward.empty() || at.backward[0]->results.size() == at.gives.size(), "parts",
             "its backward pass gives other cotangents than it says");
  cx.require(at.jvp.empty() || at.jvp[0]->results.size() == Parts::count(parts.with_cotangent),
             "parts", "its tangent rule gives other tangents than it says");
  return ir::result_types(*at.function, in.first(parts.arguments + parts.read));
}

Tensors run(const CustomCallAttrs& at, TensorSpan in, TypeSpan) {
  return ir::run(*at.function, in.first(at.function->parameter_count()));
}

bool is_read(const ir::Function& f, size_t parameter) {
  const ir::ValueId id = f.graph.parameters()[parameter];
  if (std::ranges::find(f.results, id) != f.results.end()) return true;
  return std::ranges::any_of(f.graph.nodes(), [&](const ir::Node& node) {
    return std::ranges::find(node.inputs, id) != node.inputs.end();
  });
}

// What it reads beside its arguments would be lost to its own rule.
void require_closed(const CustomCallAttrs& at, const Parts& parts, const Flags& followed) {
  for (size_t i = parts.arguments; i < parts.arguments + parts.read; ++i) {
    if (followed[i] && is_read(*at.function, i)) fail_closure(at.name);
  }
}

// What was saved and is neither input nor output is a constant to the rules.
Tensors saved_values(const Parts& parts, const GradCtx& cx) {
  Tensors out;
  for (const Tensor& t : cx.outputs.subspan(parts.outputs, parts.saved)) {
    out.push_back(stop_gradient(t, cx.where));
  }
  return out;
}

// The call as its own rules see it.
GradCtx own_part(const Parts& parts, const GradCtx& cx) {
  return {cx.inputs.first(parts.arguments), cx.outputs.first(parts.outputs),
          cx.wanted.first(parts.arguments), cx.where};
}

[[noreturn]] void fail_rule(const CustomCallAttrs& at) {
  fail(Code::kMissing, at.name, "rule",
       "is part of a derivative, and its own derivative was not traced with it; take this order of "
       "derivative where the function is traced");
}

// A part of a rule that was not traced runs in the language it is written in.
CustomCall host_call(const CustomCallAttrs& at, const Parts& parts, const GradCtx& cx) {
  if (at.host == nullptr) fail_rule(at);
  CustomCall out = *at.host;
  out.set_saved(saved_values(parts, cx));
  return out;
}

Tensors backward_inputs(const Parts& parts, const GradCtx& cx, TensorSpan cotangents) {
  Tensors in(cx.inputs.first(parts.arguments));
  for (const Tensor& t : cx.outputs.first(parts.outputs)) in.push_back(t);
  for (const Tensor& t : saved_values(parts, cx)) in.push_back(t);
  const GradCtx own = own_part(parts, cx);
  for (const Tensor& t : filled_cotangents(own, cotangents.first(parts.outputs))) in.push_back(t);
  const size_t behind = parts.arguments + parts.read;
  for (const Tensor& t : cx.inputs.subspan(behind, parts.backward_reads)) in.push_back(t);
  return in;
}

Tensors jvp_inputs(const Parts& parts, const GradCtx& cx, TensorSpan tangents) {
  Tensors in(cx.inputs.first(parts.arguments));
  for (size_t i = 0; i < parts.arguments; ++i) {
    if (!parts.with_tangent[i]) continue;
    const Tensor& x = cx.inputs[i];
    in.push_back(tangents[i].defined() ? tangents[i]
                                       : zeros(Shape(x.shape()), x.dtype(), cx.where));
  }
  const size_t behind = parts.arguments + parts.read + parts.backward_reads;
  for (const Tensor& t : cx.inputs.subspan(behind, parts.jvp_reads)) in.push_back(t);
  return in;
}

// One for each of `count`, from the short list.
Tensors placed(TensorSpan values, const Ints& places, size_t count) {
  Tensors out(count);
  for (size_t k = 0; k < places.size(); ++k) out[static_cast<size_t>(places[k])] = values[k];
  return out;
}

// The transpose of a tangent rule.
Tensors transposed_jvp(const CustomCallAttrs& at, const Parts& parts, const GradCtx& cx,
                       TensorSpan g) {
  const auto pushed = [&](TensorSpan tangents) {
    if (at.jvp.empty()) return host_call(at, parts, cx).jvp(own_part(parts, cx), tangents);
    return spread(ir::inlined(*at.jvp[0], jvp_inputs(parts, cx, tangents), cx.where),
                  parts.with_cotangent);
  };
  const Linearization rule = linear_map(pushed, cx.inputs.first(parts.arguments), cx.where);
  require_linear(rule, at.name);
  return rule.pull(g.first(parts.outputs));
}

bool has_backward(const CustomCallAttrs& at) {
  return !at.backward.empty() || (at.host != nullptr && at.host->rules->backward);
}
bool has_jvp(const CustomCallAttrs& at) {
  return !at.jvp.empty() || (at.host != nullptr && at.host->rules->jvp);
}

Tensors vjp(const CustomCallAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Parts parts(at);
  require_closed(at, parts, Flags(cx.wanted.begin(), cx.wanted.end()));
  Tensors out;
  if (!at.backward.empty()) {
    const Tensors given =
        at.gives.empty() ? Tensors()
                         : call_function(at.backward[0], backward_inputs(parts, cx, g), cx.where);
    out = placed(given, at.gives, parts.arguments);
    for (size_t i = 0; i < parts.arguments; ++i) {
      if (out[i].defined() || !cx.wanted[i]) continue;
      LeftOut::note(text("the backward of ", at.name, " gives nothing for input ", i));
    }
  } else if (has_backward(at)) {
    out = host_call(at, parts, cx).backward(own_part(parts, cx), g.first(parts.outputs));
  } else if (has_jvp(at)) {
    out = transposed_jvp(at, parts, cx, g);
  } else {
    fail_rule(at);
  }
  out.resize(cx.inputs.size());
  return out;
}

// The transpose of a backward pass.
Tensors transposed_backward(const CustomCallAttrs& at, const Parts& parts, const GradCtx& cx,
                            TensorSpan tangents) {
  const TensorSpan arguments = cx.inputs.first(parts.arguments);
  const auto pulled = [&](TensorSpan cotangents) {
    Tensors out =
        at.backward.empty()
            ? host_call(at, parts, cx).backward(own_part(parts, cx), cotangents)
            : placed(ir::inlined(*at.backward[0], backward_inputs(parts, cx, cotangents), cx.where),
                     at.gives, parts.arguments);
    return with_zeros(std::move(out), arguments, cx.where);
  };
  return linear_map(pulled, cx.outputs.first(parts.outputs), cx.where)
      .pull(tangents.first(parts.arguments));
}

Tensors jvp(const CustomCallAttrs& at, const GradCtx& cx, TensorSpan tangents) {
  const Parts parts(at);
  require_closed(at, parts, active_flags(tangents));
  Tensors out;
  if (!at.jvp.empty()) {
    out = spread(call_function(at.jvp[0], jvp_inputs(parts, cx, tangents), cx.where),
                 parts.with_cotangent);
  } else if (has_jvp(at)) {
    out = host_call(at, parts, cx).jvp(own_part(parts, cx), tangents.first(parts.arguments));
  } else if (has_backward(at)) {
    out = transposed_backward(at, parts, cx, tangents);
  } else {
    fail_rule(at);
  }
  out.resize(cx.outputs.size());
  return out;
}

// A backward pass for the whole batch, whose arguments without a batch axis get what all examples
// give them.
FunctionAttr summed(const FunctionAttr& f, const Flags& shared) {
  if (std::ranges::find(shared, true) == shared.end()) return f;
  Types types;
  for (uint32_t i = 0; i < f->parameter_count(); ++i) types.push_back(f->parameter_type(i));
  const std::vector<Type> parameters(types.begin(), types.end());
  return derived(f, derived_key("summed", shared), types, parameters, [&](TensorSpan in) {
    Tensors out = ir::inlined(*f, in, Where());
    for (size_t k = 0; k < out.size(); ++k) {
      if (shared[k]) out[k] = sum(out[k], Ints{0});
    }
    return out;
  });
}

// The function and its rules for the whole batch: they are made of ops.
Tensors batched(const CustomCallAttrs& at, const BatchCtx& cx) {
  const Parts parts(at);
  const Types types = example_types(cx);
  const Flags flags(cx.batched.begin(), cx.batched.end());
  const size_t behind = parts.arguments + parts.read;
  const Types given(types.begin(), types.begin() + behind);
  const Types results = ir::result_types(*at.function, given);
  CustomCallAttrs whole = at;
  whole.host = nullptr;
  whole.function =
      vmap_of(at.function, Flags(flags.begin(), flags.begin() + behind), given, cx.size);
  const auto rule = [&](const FunctionAttr& f, const Types& others, const Flags& of_others,
                        size_t first, size_t reads) {
    Types all(types.begin(), types.begin() + parts.arguments);
    Flags of_all(flags.begin(), flags.begin() + parts.arguments);
    for (const Type& type : others) all.push_back(type);
    of_all.insert(of_all.end(), of_others.begin(), of_others.end());
    for (size_t i = first; i < first + reads; ++i) {
      all.push_back(types[i]);
      of_all.push_back(flags[i]);
    }
    return vmap_of(f, of_all, all, cx.size);
  };
  if (!at.backward.empty()) {
    Types others(results.begin(), results.begin() + parts.outputs + parts.saved);
    for (size_t k = 0; k < parts.outputs; ++k) {
      if (parts.with_cotangent[k]) others.push_back(results[k]);
    }
    Flags shared;
    for (const int64_t i : at.gives) shared.push_back(!flags[static_cast<size_t>(i)]);
    whole.backward = {summed(
        rule(at.backward[0], others, Flags(others.size(), true), behind, parts.backward_reads),
        shared)};
  }
  if (!at.jvp.empty()) {
    Types others;
    Flags of_others;  // a tangent is as its argument
    for (size_t i = 0; i < parts.arguments; ++i) {
      if (!parts.with_tangent[i]) continue;
      others.push_back(types[i]);
      of_others.push_back(flags[i]);
    }
    whole.jvp = {
        rule(at.jvp[0], others, of_others, behind + parts.backward_reads, parts.jvp_reads)};
  }
  Tensors in;
  for (size_t i = 0; i < cx.inputs.size(); ++i) in.push_back(cx.inputs[i]);
  return apply_prepared(kCustomCall, in, &whole, cx.where);
}

}  // namespace

constinit const OpDef kCustomCall{
    .name = "custom_call",
    .doc = "Calls a function that has a derivative of its own.",
    .inputs = {"arguments...?: any"},
    .outputs = {"results: any"},
    .attrs = attrs_type<CustomCallAttrs>(),
    .infer = rule<infer_custom>(),
    .grad = derive::rules<vjp, jvp>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::host<run>(),
};

}  // namespace weft
