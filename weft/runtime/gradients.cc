// gradients: the reverse sweep as ops of the graph, by the same rules and in the same order as the
// tape's.
#include <algorithm>
#include <map>

#include "weft/base/error.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/op/record.h"
#include "weft/op/saving.h"
#include "weft/op/vjp_op.h"
#include "weft/ops/creation/creation.h"
#include "weft/runtime/graph.h"
#include "weft/state/state.h"
#include "weft/transform/vjp.h"

namespace weft {
namespace {

// What is added while it lives has names in this scope.
class ScopeNameIs {
 public:
  ScopeNameIs(Staging& staging, std::string scope)
      : staging_(staging), outer_(std::exchange(staging.scope, std::move(scope))) {}
  ~ScopeNameIs() { staging_.scope = outer_; }
  ScopeNameIs(const ScopeNameIs&) = delete;
  ScopeNameIs& operator=(const ScopeNameIs&) = delete;

 private:
  Staging& staging_;
  const std::string outer_;
};

// "gradients/" in the scope that is open, with a number if it is there already.
std::string gradients_scope(const Staging& staging) {
  const auto is_taken = [&](const std::string& scope) {
    return std::ranges::any_of(staging.graph().nodes(),
                               [&](const ir::Node& node) { return node.name.starts_with(scope); });
  };
  std::string out = text(staging.scope, "gradients/");
  for (int i = 1; is_taken(out); ++i) out = text(staging.scope, "gradients_", i, '/');
  return out;
}

class GraphSweep {
 public:
  GraphSweep(Staging& staging, Where where)
      : staging_(staging), where_(where), scope_(gradients_scope(staging)) {}

  // Of what is not the gradient of one op.
  const std::string& scope() const { return scope_; }

  void seed(ir::ValueId id, Tensor cotangent) { add_to(id, std::move(cotangent)); }
  // What reaches `id` is counted for `other`.
  void count_for(ir::ValueId other, ir::ValueId id) { counted_for_[id] = other; }

  // From the last op to the first, through those that lie between xs and ys.
  void run(const std::vector<bool>& depends, ir::NodeId end) {
    for (ir::NodeId id = end; id-- > 0;) {
      if (has_cotangent(id) && leads_on(id, depends)) step(id, depends);
    }
  }
  Tensor cotangent(ir::ValueId id) const {
    const auto found = cotangents_.find(id);
    return found == cotangents_.end() ? Tensor() : found->second;
  }

 private:
  bool has_cotangent(ir::NodeId id) const {
    for (const ir::ValueId output : node(id).outputs) {
      if (cotangents_.contains(output)) return true;
    }
    return false;
  }
  bool leads_on(ir::NodeId id, const std::vector<bool>& depends) const {
    for (const ir::ValueId input : node(id).inputs) {
      if (input != ir::kNone && depends[input]) return true;
    }
    return false;
  }
  const ir::Node& node(ir::NodeId id) const { return staging_.graph().node(id); }

  // A loop or a call gives what its reverse pass needs, from here on.
  void make_saving(ir::NodeId id, std::span<const bool> wanted) {
    const OpDef& op = *node(id).op;
    if (op.grad.saving == nullptr) return;
    Types types;
    for (const ir::ValueId input : node(id).inputs) {
      types.push_back(staging_.graph().value(input).type);
    }
    const std::optional<AnyAttrs> saving = saving_attrs(op, {node(id).attributes(), wanted, types});
    if (!saving) return;
    const Types out = op.infer(saving->data(), InferCtx{op.name}, types);
    const size_t own = node(id).outputs.size();
    staging_.extend_node(id, new_shared<const AnyAttrs>(*saving), TypeSpan(out).subspan(own));
  }

  void step(ir::NodeId id, const std::vector<bool>& depends) {
    const OpDef& op = *node(id).op;
    const ir::ValueIds inputs = node(id).inputs;
    Tensors in, out, g;
    InlineVector<bool, 8> wanted;
    for (size_t i = 0; i < inputs.size(); ++i) {
      in.push_back(inputs[i] == ir::kNone ? Tensor() : staging_.tensor_of(inputs[i]));
      wanted.push_back(inputs[i] != ir::kNone && depends[inputs[i]] &&
                       no_gradient_reason(op, i).empty() && is_differentiable(in[i].dtype()));
    }
    if (std::find(wanted.begin(), wanted.end(), true) == wanted.end()) return;
    const std::string& name = node(id).name;
    const ScopeNameIs beside(staging_, text(scope_, name.substr(0, name.rfind('/') + 1)));
    make_saving(id, wanted);
    const ir::Node at = node(id);  // the graph grows meanwhile
    for (const ir::ValueId output : at.outputs) {
      out.push_back(staging_.tensor_of(output));
      g.push_back(cotangent(output));
    }
    const Tensors sums = op.grad.goes_on ? sums_so_far(at.inputs, wanted) : Tensors();
    const Tensors back = pulled(op, at.attributes(), GradCtx{in, out, wanted, at.where, sums}, g);
    for (size_t i = back.size(); i-- > 0;) {
      if (!wanted[i] || !back[i].defined()) continue;
      if (i < sums.size() && sums[i].defined()) {
        cotangents_[source_of(at.inputs[i])] = back[i];
      } else {
        add_to(at.inputs[i], back[i]);
      }
    }
  }

  // Per input, for a rule that goes on with it. Of one value that is given twice, the last has it.
  Tensors sums_so_far(const ir::ValueIds& inputs, std::span<const bool> wanted) const {
    Tensors out(inputs.size());
    std::vector<ir::ValueId> taken;
    for (size_t i = inputs.size(); i-- > 0;) {
      if (!wanted[i]) continue;
      const ir::ValueId id = source_of(inputs[i]);
      if (std::find(taken.begin(), taken.end(), id) != taken.end()) continue;
      taken.push_back(id);
      out[i] = cotangent(id);
    }
    return out;
  }

  static Tensors pulled(const OpDef& op, const void* attrs, const GradCtx& cx, TensorSpan g) {
    const CalledFrom caller(cx.where);
    if (op.grad.kind == GradKind::kNotDifferentiable) return Tensors(cx.inputs.size());
    if (op.grad.kind != GradKind::kComposed) return call_vjp(op, attrs, cx, g);
    // Through the formula, of the inputs that are wanted.
    Tensors leaves;
    for (size_t i = 0; i < cx.inputs.size(); ++i) {
      if (cx.wanted[i]) leaves.push_back(cx.inputs[i]);
    }
    const auto formula = [&](TensorSpan in) {
      Tensors all(cx.inputs);
      size_t next = 0;
      for (size_t i = 0; i < all.size(); ++i) {
        if (cx.wanted[i]) all[i] = in[next++];
      }
      return composed_formula(op, all, attrs, cx.where);
    };
    const Tensors pulled = Linearization(formula, leaves, cx.where).pull(g, /*last=*/true);
    Tensors out(cx.inputs.size());
    size_t next = 0;
    for (size_t i = 0; i < out.size(); ++i) {
      if (cx.wanted[i]) out[i] = pulled[next++];
    }
    return out;
  }

  // Contributions are summed as they come: the latest use first.
  void add_to(ir::ValueId id, Tensor term) {
    Tensor& sum = cotangents_[source_of(id)];
    sum = sum.defined() ? add(sum, term, where_) : std::move(term);
  }

  // What that value's cotangents are counted for.
  ir::ValueId source_of(ir::ValueId id) const {
    const auto other = counted_for_.find(id);
    return other == counted_for_.end() ? id : other->second;
  }

  Staging& staging_;
  Where where_;
  const std::string scope_;
  std::map<ir::ValueId, Tensor> cotangents_;
  std::map<ir::ValueId, ir::ValueId> counted_for_;
};

// All reads of the Variable that a value is a read of, but for the value itself.
std::vector<ir::ValueId> other_reads(const ir::Graph& graph, ir::ValueId x) {
  const auto variable_of = [&](ir::NodeId id) {
    const bool reads = id != ir::kNone && graph.node(id).op == &kReadVariable;
    return reads ? static_cast<const VariableAttrs*>(graph.node(id).attributes())->variable.id()
                 : nullptr;
  };
  std::vector<ir::ValueId> out;
  const ir::NodeId maker = graph.value(x).maker;
  const void* const variable = variable_of(maker);
  if (variable == nullptr) return out;
  for (ir::NodeId id = 0; id < graph.nodes().size(); ++id) {
    if (id != maker && variable_of(id) == variable) out.push_back(graph.node(id).outputs[0]);
  }
  return out;
}

// Which values depend on the xs, by a path of ops.
std::vector<bool> dependents(const ir::Graph& graph, std::span<const ir::ValueId> xs) {
  std::vector<bool> out(graph.values().size(), false);
  for (const ir::ValueId x : xs) out[x] = true;
  for (const ir::Node& node : graph.nodes()) {
    bool any = false;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      any = any || (node.inputs[i] != ir::kNone && out[node.inputs[i]] &&
                    no_gradient_reason(*node.op, i).empty());
    }
    if (!any) continue;
    for (const ir::ValueId output : node.outputs) {
      if (is_differentiable(graph.value(output).type.dtype)) out[output] = true;
    }
  }
  return out;
}

// None at all, or one for each y, of its type. A size that only a run knows is taken for equal.
void check_weights(Staging& staging, TensorSpan ys, TensorSpan grad_ys, Where where) {
  if (!grad_ys.empty() && grad_ys.size() != ys.size()) {
    fail(Code::kInvalid, "gradients", "count", "there are ", grad_ys.size(), " grad_ys for ",
         ys.size(), " ys; give one for each");
  }
  for (size_t k = 0; k < grad_ys.size(); ++k) {
    if (!grad_ys[k].defined()) continue;
    bool fits =
        grad_ys[k].dtype() == ys[k].dtype() && same(grad_ys[k].shape(), ys[k].shape()) != Tri::kNo;
    for (int64_t axis = 0; fits && axis < ys[k].rank(); ++axis) {
      fits = staging.is_size(grad_ys[k].dim(axis), ys[k].dim(axis), where);
    }
    if (fits) continue;
    fail(Code::kType, "gradients", "cotangent", "grad_y ", k, " is ", grad_ys[k].type(), " but y ",
         k, " is ", ys[k].type(), "; they must have one dtype and shape");
  }
}

}  // namespace

Tensors gradients(TensorSpan ys, TensorSpan xs, TensorSpan grad_ys, bool zero_unconnected,
                  Where where) {
  Staging* staging = nullptr;
  for (const Tensor& y : ys) staging = staging == nullptr ? staging_of(y) : staging;
  if (staging == nullptr) {
    fail(Code::kInvalid, "gradients", "graph",
         "the ys are no values of a graph; of values computed now take grad or a GradientTape");
  }
  std::vector<ir::ValueId> x_ids;
  for (const Tensor& x : xs) {
    const ir::ValueId id = staged_value(x, *staging);
    if (id == ir::kNone) {
      fail(Code::kInvalid, "gradients", "graph", "x ", x_ids.size(),
           " is no value of the graph of the ys; a Variable that is read outside of the graph's "
           "scope gives a value of now: read it inside, where the ys are made");
    }
    x_ids.push_back(id);
  }
  const StagingScope scope(*staging);
  check_weights(*staging, ys, grad_ys, where);
  GraphSweep sweep(*staging, where);
  const ScopeNameIs inside(*staging, sweep.scope());
  std::vector<ir::ValueId> sources = x_ids;
  for (const ir::ValueId x : x_ids) {
    for (const ir::ValueId read : other_reads(staging->graph(), x)) {
      sources.push_back(read);
      sweep.count_for(x, read);
    }
  }
  const std::vector<bool> depends = dependents(staging->graph(), sources);
  for (size_t k = 0; k < ys.size(); ++k) {
    if (is_differentiable(ys[k].dtype())) continue;
    fail(Code::kType, "gradients", "dtype", "y ", k, " is ", ys[k].type(),
         ", which has no gradient; cast it where the ops before it are floats, or leave it out");
  }
  const auto end = static_cast<ir::NodeId>(staging->graph().nodes().size());
  for (size_t k = ys.size(); k-- > 0;) {
    const ir::ValueId id = staged_value(ys[k], *staging);
    if (id == ir::kNone)
      fail(Code::kInvalid, "gradients", "graph", "y ", k, " is of another graph");
    const bool is_given = k < grad_ys.size() && grad_ys[k].defined();
    sweep.seed(id, is_given ? grad_ys[k] : ones(Shape(ys[k].shape()), ys[k].dtype(), where));
  }
  sweep.run(depends, end);
  Tensors out;
  for (size_t i = 0; i < xs.size(); ++i) {
    out.push_back(sweep.cotangent(x_ids[i]));
    if (out.back().defined()) {
      // A weight that went through as it was is a constant of the graph.
      out.back() = staging->tensor_of(staging->value_of(out.back()));
      continue;
    }
    if (!zero_unconnected) {
      fail(Code::kInvalid, "gradients", "unconnected", "no y depends on x ", i, " (%",
           staging->graph().name_of(x_ids[i]),
           ") by a path that can be differentiated; leave it out, or ask for zeros");
    }
    out.back() = zeros(Shape(xs[i].shape()), xs[i].dtype(), where);
  }
  return out;
}

}  // namespace weft
