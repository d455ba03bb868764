// Partial evaluation by tracing: the backward pass is traced inside of the trace of the forward
// pass, and what it reads from there is what has to be given from one to the other.
#include "weft/trace/halves.h"

#include <algorithm>
#include <unordered_map>

#include "weft/base/error.h"
#include "weft/op/apply.h"
#include "weft/trace/derived_parts.h"

namespace weft {
namespace {

// Made again in the backward half: views, and what is made of nothing.
bool is_free(const ir::Node& node) {
  return node.op->effect == Effect::kNone && (node.inputs.empty() || is_view(*node.op));
}

// One trace of both halves.
struct Halves {
  FunctionAttr forward;            // with what is saved behind its results
  FunctionAttr pull;               // parameters: cotangents, sums, what it reads of `forward`
  std::vector<ir::ValueId> reads;  // those, as values of `forward`
  Flags reached;                   // per parameter of f
};

class HalvesMaker {
 public:
  HalvesMaker(const ir::Function& f, const Flags& wanted, const Flags& given,
              const Flags& begun = {})
      : f_(f), wanted_(wanted), given_(given), begun_(begun) {
    begun_.resize(f.parameter_count());
  }

  Halves make(std::vector<DimBinding> hints) {
    const auto body = [&](TensorSpan all) { return both(all); };
    out_.forward = traced(body, parameters_of(f_), text(f_.name, ".forward"), std::move(hints));
    return std::move(out_);
  }

 private:
  Tensors both(TensorSpan all) {
    const auto call = [&](TensorSpan leaves) {
      return ir::inlined(f_, replaced(all, wanted_, leaves), Where());
    };
    const Linearization linear(call, flagged(all, wanted_), Where(), f_.name);
    trace_pull(linear, all);
    Staging& forward = *innermost_staging();
    std::vector<ir::ValueId> given_anyway;
    for (const Tensor& t : linear.outputs()) given_anyway.push_back(forward.value_of(t));
    Tensors results = linear.outputs();
    for (const ir::ValueId id : saved(forward.graph(), given_anyway)) {
      results.push_back(forward.tensor_of(id));
    }
    return results;
  }

  void trace_pull(const Linearization& linear, TensorSpan all) {
    std::vector<TraceParameter> parameters;
    for (size_t k = 0; k < given_.size(); ++k) {
      if (given_[k]) parameters.push_back({linear.outputs()[k].type(), "g", {}});
    }
    const size_t first_sum = parameters.size();
    for (size_t i = 0; i < begun_.size(); ++i) {
      if (begun_[i]) parameters.push_back({all[i].type(), "sum", {}});
    }
    const auto pull = [&](TensorSpan in) {
      const Tensors sums = replaced(Tensors(begun_.size()), begun_, in.subspan(first_sum));
      const Tensors cotangents = replaced(Tensors(given_.size()), given_, in);
      const Tensors found = linear.pull_onto(flagged(sums, wanted_), cotangents, /*last=*/true);
      Tensors out;
      size_t next = 0;
      for (size_t i = 0; i < wanted_.size(); ++i) {
        const Tensor gradient = wanted_[i] ? found[next++] : Tensor();
        // A sum to which nothing was added is still the one that was begun.
        out_.reached.push_back(gradient.defined() && gradient.node() != sums[i].node());
        if (out_.reached[i]) out.push_back(gradient);
      }
      return out;
    };
    const Trace trace = trace_flat(pull, parameters, {.name = text(f_.name, ".pull")});
    out_.pull = trace.function;
    for (const Captured& one : trace.captured) {
      WEFT_ASSERT(one.kind == Captured::Kind::kValue, "a derivative reads no state");
      out_.reads.push_back(innermost_staging()->value_of(one.value));
    }
  }

  // What must be handed on of what is read, each once.
  std::vector<ir::ValueId> saved(const ir::Graph& graph,
                                 const std::vector<ir::ValueId>& given_anyway) const {
    std::vector<ir::ValueId> open = out_.reads, seen = given_anyway, out;
    while (!open.empty()) {
      const ir::ValueId id = open.back();
      open.pop_back();
      if (std::find(seen.begin(), seen.end(), id) != seen.end()) continue;
      seen.push_back(id);
      const ir::NodeId maker = graph.value(id).maker;
      if (maker == ir::kNone) continue;  // a parameter
      const ir::Node& node = graph.node(maker);
      if (is_free(node)) {
        open.insert(open.end(), node.inputs.begin(), node.inputs.end());
      } else {
        out.push_back(id);
      }
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  const ir::Function& f_;
  const Flags &wanted_, &given_;
  Flags begun_;  // per parameter of f
  Halves out_;
};

// Values of the forward half inside of the backward half.
class HandedOn {
 public:
  // `all`: the parameters of the forward half, then its results.
  HandedOn(const ir::Function& forward, TensorSpan all) : graph_(forward.graph) {
    const size_t count = forward.parameter_count();
    for (size_t i = 0; i < count; ++i) values_[graph_.parameters()[i]] = all[i];
    for (size_t k = 0; k < forward.results.size(); ++k) {
      values_.emplace(forward.results[k], all[count + k]);
    }
  }

  Tensor at(ir::ValueId id) {
    const auto found = values_.find(id);
    if (found != values_.end()) return found->second;
    const bool is_there = id < graph_.values().size() && graph_.value(id).maker != ir::kNone;
    WEFT_ASSERT(is_there, "the forward half is another one");
    const ir::Node& node = graph_.node(graph_.value(id).maker);
    WEFT_ASSERT(is_free(node), "the forward half does not give what the backward half reads");
    Tensors in;
    for (const ir::ValueId input : node.inputs) in.push_back(at(input));
    const Tensors out = apply_prepared(*node.op, in, node.attributes(), node.where);
    for (size_t k = 0; k < out.size(); ++k) values_[node.outputs[k]] = out[k];
    return values_.at(id);
  }

 private:
  const ir::Graph& graph_;
  std::unordered_map<ir::ValueId, Tensor> values_;
};

FunctionAttr backward_function(const ir::Function& f, const Halves& halves,
                               const ir::Function& forward, const Flags& given, const Flags& begun,
                               std::vector<DimBinding> hints) {
  std::vector<TraceParameter> parameters = parameters_of(forward);
  for (size_t k = 0; k < forward.results.size(); ++k) {
    parameters.push_back({forward.result_type(k), k < given.size() ? "result" : "saved", {}});
  }
  const size_t handed_on = parameters.size();
  for (size_t k = 0; k < given.size(); ++k) {
    if (given[k]) parameters.push_back({forward.result_type(k), "g", {}});
  }
  for (size_t i = 0; i < begun.size(); ++i) {
    if (begun[i]) parameters.push_back({forward.parameter_type(i), "sum", {}});
  }
  const auto body = [&](TensorSpan all) {
    HandedOn values(forward, all.first(handed_on));
    Tensors in(all.subspan(handed_on));
    for (const ir::ValueId id : halves.reads) in.push_back(values.at(id));
    return ir::inlined(*halves.pull, in, Where());
  };
  return traced(body, parameters, text(f.name, ".backward"), std::move(hints));
}

// "backward:11=010": for which cotangents (and sums), and which parameters are reached by them.
std::string backward_key(const Flags& given, const Flags& begun) {
  return derived_key("backward", given) + begun_key(begun) + '=';
}

std::optional<BackwardHalf> kept_backward(const ir::Function& forward, const std::string& key) {
  ir::Function::Kept& kept = forward.kept();
  std::lock_guard lock(kept.mutex);
  const auto found = kept.derived.lower_bound(key);
  if (found == kept.derived.end() || !found->first.starts_with(key)) return {};
  BackwardHalf out{found->second, {}};
  for (const char flag : found->first.substr(key.size())) out.reached.push_back(flag == '1');
  return out;
}

BackwardHalf keep_backward(const ir::Function& f, const Halves& halves, const ir::Function& forward,
                           const Flags& given, const Flags& begun, std::vector<DimBinding> hints) {
  BackwardHalf out{backward_function(f, halves, forward, given, begun, std::move(hints)),
                   halves.reached};
  std::string key = backward_key(given, begun);
  for (const bool flag : out.reached) key += flag ? '1' : '0';
  ir::Function::Kept& kept = forward.kept();
  std::lock_guard lock(kept.mutex);
  kept.derived.emplace(key, out.function);
  return out;
}

Flags differentiable_parameters(const ir::Function& f) {
  Flags out;
  for (size_t i = 0; i < f.parameter_count(); ++i) {
    out.push_back(is_differentiable(f.parameter_type(i).dtype));
  }
  return out;
}

Flags differentiable_results(const ir::Function& f) {
  Flags out;
  for (size_t k = 0; k < f.results.size(); ++k) {
    out.push_back(is_differentiable(f.result_type(k).dtype));
  }
  return out;
}

constexpr std::string_view kWholeBackward = "whole_backward";

// Of a forward half: the backward half for all cotangents.
FunctionAttr whole_backward(const ir::Function& f) {
  ir::Function::Kept& kept = f.kept();
  std::lock_guard lock(kept.mutex);
  const auto found = kept.derived.find(std::string(kWholeBackward));
  return found == kept.derived.end() ? nullptr : found->second;
}

// The results that may ever have cotangents. What a forward half saves has some only if the
// derivative of its backward half leads there: what a loop saved has none.
Flags results_with_cotangents(const ir::Function& f) {
  Flags out = differentiable_results(f);
  const FunctionAttr back = whole_backward(f);
  if (back == nullptr) return out;
  const Flags reached =
      HalvesMaker(*back, differentiable_parameters(*back), differentiable_results(*back))
          .make(back->hints)
          .reached;
  for (size_t k = 0; k < out.size(); ++k) {
    const bool is_saved = back->graph.parameter_name(f.parameter_count() + k).starts_with("saved");
    out[k] = out[k] && (!is_saved || reached[f.parameter_count() + k]);
  }
  return out;
}

}  // namespace

void keep_backward_of(const ir::Function& forward, const ir::Function& copy) {
  std::scoped_lock lock(forward.kept().mutex, copy.kept().mutex);
  for (const auto& [name, function] : forward.kept().derived) {
    const bool is_half = name == kWholeBackward || name.starts_with("backward:");
    if (is_half) copy.kept().derived.emplace(name, function);
  }
}

FunctionAttr forward_of(const FunctionAttr& f, const Flags& wanted, TypeSpan arguments) {
  const std::vector<DimBinding> bindings = ir::bind_symbols(*f, arguments);
  const std::string key = derived_key("forward", wanted);
  return kept_or_made(f, key, bindings, [&](std::vector<DimBinding> hints) {
    const Flags given = results_with_cotangents(*f);
    const Halves halves = HalvesMaker(*f, wanted, given).make(hints);
    const BackwardHalf back = keep_backward(*f, halves, *halves.forward, given, {}, hints);
    ir::Function::Kept& kept = halves.forward->kept();
    std::lock_guard lock(kept.mutex);
    kept.derived.emplace(kWholeBackward, back.function);
    return halves.forward;
  });
}

BackwardHalf backward_of(const FunctionAttr& f, const Flags& wanted, const FunctionAttr& forward,
                         const Flags& given, TypeSpan arguments, const Flags& begun) {
  if (std::optional<BackwardHalf> kept = kept_backward(*forward, backward_key(given, begun))) {
    return *kept;
  }
  // Traced as the forward half was, its values have the same numbers.
  const std::vector<DimBinding> hints =
      forward->hints.empty() ? known_hints(*f, ir::bind_symbols(*f, arguments)) : forward->hints;
  const Halves halves = HalvesMaker(*f, wanted, given, begun).make(hints);
  return keep_backward(*f, halves, *forward, given, begun, hints);
}

}  // namespace weft
