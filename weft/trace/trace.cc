// Tracing: a graph scope around one call.
#include "weft/trace/trace.h"

#include <algorithm>

#include "weft/base/error.h"
#include "weft/base/forks.h"
#include "weft/op/context.h"
#include "weft/trace/generator.h"

namespace weft {
namespace {

// One call under a graph scope; what it read can be asked for before the function is made.
class Tracing {
 public:
  Tracing(FlatFunction f, std::span<const TraceParameter> parameters, const TraceOptions& options,
          TensorSpan values = {})
      : name_(options.name),
        staging_(Staging::open(Staging::Kind::kFunction, options.stands_alone)) {
    staging_->is_rule = options.is_rule;
    for (const DimBinding& hint : options.hints) staging_->hint(hint.symbol, hint.value.value());
    Tensors in;
    for (const TraceParameter& one : parameters) {
      in.push_back(staging_->parameter(one.type, one.name, one.where));
    }
    for (size_t i = 0; i < values.size(); ++i) staging_->let_stand_for(in[i], values[i]);
    const StagingScope scope(*staging_);
    try {
      const Tensors out = f(in);
      check_outputs(out, name_);
      for (const Tensor& t : out) results_.push_back(staging_->value_of(t));
    } catch (...) {
      if (options.until_raised != nullptr) *options.until_raised = until_now(parameters.size());
      throw;
    }
  }

  std::vector<Captured>& captured() { return staging_->captured(); }
  // Makes this trace read the same place or value, as a parameter.
  void read_too(const Captured& other) {
    const StagingScope scope(*staging_);
    for (const Captured& own : captured()) {
      if (is_same_place(own, other)) return;
    }
    switch (other.kind) {
      case Captured::Kind::kValue: staging_->value_of(other.value); break;
      case Captured::Kind::kVariable: staging_->follow(other.variable, other.value); break;
      case Captured::Kind::kSeed:
      case Captured::Kind::kDraws: staging_->generator_seed(); break;
    }
  }
  Captured& same_as(const Captured& other) {
    for (Captured& own : captured()) {
      if (is_same_place(own, other)) return own;
    }
    fail(Code::kInternal, "trace", "captured", "a captured value is missing");
  }

  // The captured ones in the order of `like`, of which those in `written` are results.
  Trace finish(std::span<const Captured> like, const std::vector<bool>& written) {
    carry_symbols();
    Trace out;
    auto function = new_shared<ir::Function>();
    function->name = name_;
    function->assumptions = staging_->assumptions();
    function->hints = staging_->hints();
    out.result_count = results_.size();
    function->results = results_;
    // What is written comes first: a loop carries it.
    for (const bool is_written : {true, false}) {
      for (size_t i = 0; i < like.size(); ++i) {
        if (written[i] != is_written) continue;
        Captured& own = same_as(like[i]);
        if (is_written) function->results.push_back(own.current);
        own.is_written = is_written;
        out.captured.push_back(own);
      }
    }
    for (const Captured& own : captured()) {  // those that came in to carry sizes
      const bool is_listed = std::any_of(
          like.begin(), like.end(), [&](const Captured& one) { return is_same_place(own, one); });
      if (!is_listed) out.captured.push_back(own);
    }
    std::vector<ir::ValueId> order;
    for (const Captured& one : out.captured) order.push_back(one.parameter);
    auto parameter = static_cast<uint32_t>(staging_->graph().parameters().size() - order.size());
    auto result = static_cast<uint32_t>(out.result_count);
    for (const Captured& one : out.captured) {
      if (one.is_written && one.kind == Captured::Kind::kVariable) {
        function->new_values.push_back({parameter, result});
      }
      ++parameter;
      result += one.is_written ? 1 : 0;
    }
    function->graph = with_captured_order(order);
    out.function = std::move(function);
    // Calls read Variables anew: neither the trace nor a tensor left over from it keeps their
    // values.
    for (std::vector<Captured>* const list : {&out.captured, &staging_->captured()}) {
      for (Captured& one : *list) {
        if (one.kind == Captured::Kind::kVariable) one.value = Tensor();
      }
    }
    return out;
  }

  // Every symbol must be an extent of a parameter.
  void carry_symbols() {
    const ir::Graph& graph = staging_->graph();
    std::vector<Dim> used;
    for (const ir::Value& value : graph.values()) {
      for (const Dim dim : value.type.shape) append_symbols(used, dim);
    }
    for (const ir::Node& node : graph.nodes()) {
      for (const FieldInfo& field : node.op->attrs->fields) {
        if (field.type != FieldType::kShape) continue;
        for (const Dim dim : *static_cast<const Shape*>(field.in(node.attributes()))) {
          append_symbols(used, dim);
        }
      }
    }
    for (const Dim symbol : used) {
      if (!is_extent_of_parameter(symbol) && !is_found_inside(symbol))
        staging_->carrier_outside(symbol);
    }
  }

 private:
  TraceUntil until_now(size_t parameters) const {
    TraceUntil out{{}, staging_->assumptions()};
    const ir::Graph& graph = staging_->graph();
    for (size_t i = 0; i < parameters; ++i) {
      out.parameters.push_back(graph.value(graph.parameters()[i]).type);
    }
    return out;
  }
  bool is_same_place(const Captured& a, const Captured& b) const {
    if (a.kind != b.kind) return false;
    switch (a.kind) {
      case Captured::Kind::kValue: return staging_->are_one_outside(a.value, b.value);
      case Captured::Kind::kVariable: return a.variable.same_place(b.variable);
      default: return true;
    }
  }

  bool is_extent_of_parameter(Dim symbol) const {
    const ir::Graph& graph = staging_->graph();
    for (const ir::ValueId id : graph.parameters()) {
      const Shape& shape = graph.value(id).type.shape;
      if (std::find(shape.begin(), shape.end(), symbol) != shape.end()) return true;
    }
    return false;
  }
  // A size that an op in here finds out.
  bool is_found_inside(Dim symbol) const {
    if (!to_string(symbol).starts_with('?')) return false;
    const ir::Graph& graph = staging_->graph();
    for (const ir::Value& value : graph.values()) {
      const Shape& shape = value.type.shape;
      if (value.maker != ir::kNone &&
          std::find(shape.begin(), shape.end(), symbol) != shape.end()) {
        return true;
      }
    }
    return false;
  }

  // The graph with its captured parameters in this order, behind the others.
  ir::Graph with_captured_order(const std::vector<ir::ValueId>& order) {
    return staging_->graph().with_last_parameters(order);
  }

  std::string name_;
  Shared<Staging> staging_;
  std::vector<ir::ValueId> results_;
};

std::vector<bool> written_of(std::span<const Captured> captured) {
  std::vector<bool> out;
  for (const Captured& one : captured) out.push_back(one.is_written);
  return out;
}

}  // namespace

Tensors Trace::captured_values(Where where) const {
  Tensors out;
  append_captured_values(out, where);
  return out;
}

void Trace::append_captured_values(Tensors& to, Where where) const {
  const CalledFrom caller(where);
  const ForkDelay delay;  // once for the locks of all Variables
  to.reserve(to.size() + captured.size());
  for (const Captured& one : captured) {
    switch (one.kind) {
      case Captured::Kind::kValue: to.push_back(one.value); break;
      case Captured::Kind::kVariable: to.push_back(one.variable.read()); break;
      case Captured::Kind::kSeed: to.push_back(generator_now().seed); break;
      case Captured::Kind::kDraws: to.push_back(generator_now().draws); break;
    }
  }
}

void Trace::store_written(TensorSpan results, Where where) const {
  store_written_but({}, results, where);
}

void Trace::store_written_but(const std::vector<bool>& is_stored, TensorSpan results,
                              Where where) const {
  size_t next = result_count;
  size_t parameter = function->graph.parameters().size() - captured.size();
  Staging* const staging = innermost_staging();
  for (const Captured& one : captured) {
    const bool has_it = !is_stored.empty() && is_stored[parameter];
    ++parameter;
    if (!one.is_written) continue;
    const Tensor& value = results[next++];
    if (has_it) continue;
    if (one.kind == Captured::Kind::kVariable && staging != nullptr) {
      staging->store(one.variable, value, where);
    } else if (one.kind == Captured::Kind::kVariable) {
      one.variable.assign(value, where);
    } else if (one.kind == Captured::Kind::kSeed) {
      set_generator_seed(value);
    } else {
      set_generator_draws(value);
    }
  }
}

Trace trace_flat(FlatFunction f, std::span<const TraceParameter> parameters,
                 const TraceOptions& options) {
  Tracing tracing(f, parameters, options);
  tracing.carry_symbols();
  const std::vector<Captured> captured = tracing.captured();
  return tracing.finish(captured, written_of(captured));
}

std::vector<Trace> trace_together(std::span<const FlatFunction> callables,
                                  std::span<const std::vector<TraceParameter>> parameters,
                                  std::span<const std::string> names, bool last_first,
                                  TensorSpan values) {
  std::vector<Tracing> traced;
  for (size_t k = 0; k < callables.size(); ++k) {
    const size_t i = last_first ? callables.size() - 1 - k : k;
    traced.emplace_back(callables[i], parameters[i], TraceOptions{.name = names[i]}, values);
    traced.back().carry_symbols();
  }
  if (last_first) std::reverse(traced.begin(), traced.end());
  // What one of them reads, all of them have as a parameter; they may read each other's additions.
  for (size_t i = 0; i < traced.size(); ++i) {
    for (size_t k = 0; k < traced.size(); ++k) {
      const std::vector<Captured> given = traced[k].captured();
      for (const Captured& one : given) traced[i].read_too(one);
    }
  }
  const std::vector<Captured> all = traced[0].captured();
  std::vector<bool> written(all.size(), false);
  for (size_t i = 0; i < all.size(); ++i) {
    for (Tracing& one : traced) written[i] = written[i] || one.same_as(all[i]).is_written;
  }
  std::vector<Trace> out;
  for (Tracing& one : traced) out.push_back(one.finish(all, written));
  return out;
}

}  // namespace weft
