// Derived functions: the transformation runs once under a trace.
#include "weft/trace/derived.h"

#include <algorithm>

#include "weft/base/error.h"
#include "weft/op/builtin.h"
#include "weft/trace/derived_parts.h"
#include "weft/trace/quiet.h"
#include "weft/transform/jvp.h"
#include "weft/transform/vmap.h"

namespace weft {
namespace {

// Where sizes are open, the trace around decides, and takes the same for granted.
bool all_hold(const ir::Function& f, std::span<const DimBinding> bindings) {
  for (const ir::Assumption& one : f.assumptions) {
    if (!one.holds(bindings)) return false;
  }
  return true;
}

// A symbol that the function does not have.
Dim batch_symbol(const ir::Function& f) {
  std::vector<Dim> used;
  for (const ir::Value& value : f.graph.values()) {
    for (const Dim dim : value.type.shape) append_symbols(used, dim);
  }
  Dim out = Dim::symbol("batch");
  for (int i = 1; std::find(used.begin(), used.end(), out) != used.end(); ++i) {
    out = Dim::symbol(text("batch", i));
  }
  return out;
}

}  // namespace

// Sizes that are themselves symbols of what is being traced count as they are hinted there, or were
// when the function was traced.
std::vector<DimBinding> known_hints(const ir::Function& f, std::span<const DimBinding> bindings) {
  std::vector<DimBinding> out;
  for (const DimBinding& one : bindings) {
    const std::optional<int64_t> size = hinted_value(one.value);
    if (size) out.push_back({one.symbol, Dim(*size)});
  }
  for (const DimBinding& one : f.hints) {
    bool is_there = false;
    for (const DimBinding& own : out) is_there = is_there || own.symbol == one.symbol;
    if (!is_there) out.push_back(one);
  }
  return out;
}

FunctionAttr kept_or_made(const FunctionAttr& f, const std::string& name,
                          std::span<const DimBinding> bindings,
                          FunctionRef<FunctionAttr(std::vector<DimBinding>)> make) {
  ir::Function::Kept& kept = f->kept();
  {
    std::lock_guard lock(kept.mutex);
    const auto [begin, end] = kept.derived.equal_range(name);
    for (auto it = begin; it != end; ++it) {
      if (all_hold(*it->second, bindings)) return it->second;
    }
  }
  FunctionAttr made = make(known_hints(*f, bindings));
  all_hold(*made, bindings);
  std::lock_guard lock(kept.mutex);
  return kept.derived.emplace(name, std::move(made))->second;
}

std::vector<TraceParameter> parameters_of(const ir::Function& f) {
  std::vector<TraceParameter> out;
  for (uint32_t i = 0; i < f.parameter_count(); ++i) {
    out.push_back(
        {f.parameter_type(i), std::string(f.graph.parameter_name(i)), f.graph.parameter_line(i)});
  }
  return out;
}

FunctionAttr traced(FlatFunction body, std::span<const TraceParameter> parameters, std::string name,
                    std::vector<DimBinding> hints) {
  const Trace trace = trace_flat(
      body, parameters, {.name = std::move(name), .hints = std::move(hints), .stands_alone = true});
  WEFT_ASSERT(trace.captured.empty(), "a derived function reads what is outside");
  return trace.function;
}

Tensors flagged(TensorSpan all, const Flags& flags) {
  Tensors out;
  for (size_t i = 0; i < flags.size(); ++i) {
    if (flags[i]) out.push_back(all[i]);
  }
  return out;
}

Tensors replaced(TensorSpan all, const Flags& flags, TensorSpan values) {
  Tensors out(all);
  size_t next = 0;
  for (size_t i = 0; i < flags.size(); ++i) {
    if (flags[i]) out[i] = values[next++];
  }
  return out;
}

std::string derived_key(std::string_view kind, const Flags& flags) {
  std::string out = text(kind, ':');
  for (const bool flag : flags) out += flag ? '1' : '0';
  return out;
}

std::string begun_key(const Flags& begun) {
  const bool any = std::ranges::count(begun, true) > 0;
  return any ? derived_key("+", begun) : std::string();
}

FunctionAttr derived(const FunctionAttr& f, const std::string& name, TypeSpan arguments,
                     std::span<const Type> types, FunctionRef<Tensors(TensorSpan)> body) {
  const std::vector<DimBinding> bindings = ir::bind_symbols(*f, arguments);
  return kept_or_made(f, name, bindings, [&](std::vector<DimBinding> hints) {
    std::vector<TraceParameter> parameters;
    for (const Type& type : types) parameters.push_back({type, "x", {}});
    return traced(body, parameters, text(f->name, '.', name.substr(0, name.find(':'))),
                  std::move(hints));
  });
}

FunctionAttr vjp_of(const FunctionAttr& f, const Flags& wanted, TypeSpan arguments,
                    const Flags& begun) {
  const std::vector<DimBinding> bindings = ir::bind_symbols(*f, arguments);
  const std::string key = derived_key("vjp", wanted) + begun_key(begun);
  return kept_or_made(f, key, bindings, [&](std::vector<DimBinding> hints) {
    std::vector<TraceParameter> parameters = parameters_of(*f);
    const size_t count = parameters.size();
    for (size_t k = 0; k < f->results.size(); ++k) {
      if (is_differentiable(f->result_type(k).dtype)) {
        parameters.push_back({f->result_type(k), "g", {}});
      }
    }
    const size_t first_sum = parameters.size();
    for (size_t i = 0; i < begun.size(); ++i) {
      if (begun[i]) parameters.push_back({f->parameter_type(i), "sum", {}});
    }
    const auto body = [&](TensorSpan all) {
      const TensorSpan given = all.first(count);
      const FunctionAttr again = quiet(f);
      const auto call = [&](TensorSpan leaves) {
        return ir::inlined(*again, replaced(given, wanted, leaves), Where());
      };
      const Tensors leaves = flagged(given, wanted);
      const Linearization linear(call, leaves, Where(), f->name);
      Tensors cotangents;
      size_t next = count;
      for (size_t k = 0; k < f->results.size(); ++k) {
        cotangents.push_back(is_differentiable(f->result_type(k).dtype) ? all[next++] : Tensor());
      }
      const Tensors sums = replaced(Tensors(count), begun, all.subspan(first_sum));
      return with_zeros(linear.pull_onto(flagged(sums, wanted), cotangents, /*last=*/true), leaves,
                        Where());
    };
    return traced(body, parameters, text(f->name, ".vjp"), std::move(hints));
  });
}

FunctionAttr jvp_of(const FunctionAttr& f, const Flags& active, TypeSpan arguments) {
  const std::vector<DimBinding> bindings = ir::bind_symbols(*f, arguments);
  return kept_or_made(f, derived_key("jvp", active), bindings, [&](std::vector<DimBinding> hints) {
    std::vector<TraceParameter> parameters = parameters_of(*f);
    const size_t count = parameters.size();
    for (size_t i = 0; i < count; ++i) {
      if (active[i]) parameters.push_back({f->parameter_type(i), "t", {}});
    }
    const auto body = [&](TensorSpan all) {
      const TensorSpan given = all.first(count);
      const FunctionAttr again = quiet(f);
      const auto call = [&](TensorSpan in) { return ir::inlined(*again, in, Where()); };
      const Tensors tangents = replaced(Tensors(count), active, all.subspan(count));
      const JvpResult result = jvp_flat(call, given, tangents, Where());
      const Tensors filled = with_zeros(result.tangents, result.outputs, Where());
      Tensors out = result.outputs;
      for (size_t k = 0; k < filled.size(); ++k) {
        if (is_differentiable(f->result_type(k).dtype)) out.push_back(filled[k]);
      }
      return out;
    };
    return traced(body, parameters, text(f->name, ".jvp"), std::move(hints));
  });
}

FunctionAttr vmap_of(const FunctionAttr& f, const Flags& batched, TypeSpan arguments, Dim size) {
  std::vector<DimBinding> bindings = ir::bind_symbols(*f, arguments);
  const Dim symbol = batch_symbol(*f);
  bindings.push_back({symbol, size});
  return kept_or_made(
      f, derived_key("vmap", batched), bindings, [&](std::vector<DimBinding> hints) {
        std::vector<TraceParameter> parameters = parameters_of(*f);
        FlatVmapOptions options;
        for (size_t i = 0; i < parameters.size(); ++i) {
          options.in_axes.push_back(batched[i] ? std::optional<int64_t>(0) : std::nullopt);
          if (batched[i]) parameters[i].type.shape.insert(0, symbol);
        }
        const auto body = [&](TensorSpan all) {
          const auto call = [&](TensorSpan in) { return ir::inlined(*f, in, Where()); };
          return vmap_flat(call, all, options, Where());
        };
        return traced(body, parameters, text(f->name, ".vmap"), std::move(hints));
      });
}

}  // namespace weft
