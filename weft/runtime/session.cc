// Runs of a graph: the part that is needed, made ready once per signature.
#include "weft/runtime/session.h"

#include <algorithm>

#include "weft/base/error.h"
#include "weft/op/concrete_value.h"
#include "weft/op/scope.h"
#include "weft/runtime/donor.h"
#include "weft/runtime/executable.h"
#include "weft/runtime/made_at.h"
#include "weft/state/state.h"

namespace weft {
namespace {

ir::ValueId value_in(const Graph& graph, const Tensor& t, std::string_view what, size_t i) {
  const ir::ValueId id = t.defined() ? staged_value(t, graph.staging()) : ir::kNone;
  if (id == ir::kNone) {
    fail(Code::kInvalid, "Session", what, what, " ", i,
         " is no value of this graph; fetch and feed what was made in its scope, of a Variable "
         "its read()");
  }
  return id;
}

Where line_of(const ir::Graph& graph, ir::ValueId id) {
  const ir::NodeId maker = graph.value(id).maker;
  return maker == ir::kNone ? Where{} : graph.node(maker).where;
}

// What is fed must be of the value's type.
bool fits(const Type& type, const Tensor& given) {
  bool out = given.dtype() == type.dtype && given.rank() == type.rank();
  for (size_t k = 0; out && k < type.shape.size(); ++k) {
    out = !type.shape[k].is_known() || type.shape[k] == given.shape()[k];
  }
  return out;
}
[[noreturn]] void fail_feed(std::string_view name, Where line, const Type& type,
                            const Tensor& given) {
  fail_made(name, line, Code::kInvalid, "Session", "feed", name, " is ", type, " but ",
            given.type(), " is fed");
}

std::vector<Dim> sizes_of(TensorSpan arguments) {
  std::vector<Dim> out;
  for (const Tensor& t : arguments) {
    for (const Dim dim : t.shape()) out.push_back(dim);
  }
  return out;
}

// A name in the types of feeds is one size.
void check_names(const ir::Function& function, TensorSpan arguments) {
  struct Use {
    Dim name, size;
    uint32_t feed;
  };
  std::vector<Use> uses;
  const ir::Graph& graph = function.graph;
  for (uint32_t i = 0; i < arguments.size(); ++i) {
    const Shape& shape = function.parameter_type(i).shape;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      const Dim name = shape[axis], size = arguments[i].shape()[axis];
      if (name.is_known()) continue;
      const auto first = std::ranges::find(uses, name, &Use::name);
      if (first == uses.end()) {
        uses.push_back({name, size, i});
      } else if (!(first->size == size)) {
        fail_made(graph.parameter_name(i), graph.parameter_line(i), Code::kInvalid, "Session",
                  "sizes", "the size ", name, " is ", first->size, " in ",
                  graph.parameter_name(first->feed), " and ", size, " in ", graph.parameter_name(i),
                  "; a name stands for one size");
      }
    }
  }
  // 2*n is twice what n is.
  const auto symbols_of = [](Dim size) {
    std::vector<Dim> out;
    append_symbols(out, size);
    return out;
  };
  std::vector<DimBinding> bindings;
  for (const Use& use : uses) {
    if (symbols_of(use.name)[0] == use.name) bindings.push_back({use.name, use.size});
  }
  for (const Use& use : uses) {
    const Dim wanted = substituted(use.name, bindings), part = symbols_of(use.name)[0];
    if (!wanted.is_known() || wanted == use.size) continue;
    fail_made(graph.parameter_name(use.feed), graph.parameter_line(use.feed), Code::kInvalid,
              "Session", "sizes", "the size ", use.name, " is ", use.size, " in ",
              graph.parameter_name(use.feed), ", but ", part, " is ", substituted(part, bindings),
              "; feed ", wanted);
  }
}

WrittenSet written_by(const ir::Function& function) {
  WrittenSet out = 0;
  for (const ir::Node& node : function.graph.nodes()) {
    if (node.op->effect == Effect::kWrites) {
      out |= written_bit(static_cast<const VariableAttrs*>(node.attributes())->variable.id());
    } else if (node.op->effect == Effect::kDraws) {
      out |= kGeneratorBit;
    }
  }
  return out;
}

// Sizes that nothing was known of were taken for equal where that was needed.
void check_sizes(const ir::Function& function, TensorSpan arguments) {
  const std::vector<DimBinding> bindings = ir::bind_symbols(function, types_of(arguments));
  for (const ir::Assumption& one : function.assumptions) {
    if (one.holds(bindings)) continue;
    std::string now;
    std::vector<Dim> symbols;
    append_symbols(symbols, one.a);
    append_symbols(symbols, one.b);
    for (const Dim symbol : symbols) {
      now += text(now.empty() ? "" : ", ", symbol, " = ", substituted(symbol, bindings));
    }
    fail_made("what needs this", one.where, Code::kInvalid, "Session", "sizes",
              "the graph was built for ", to_string(one), ", but this run has ", now,
              "; feed sizes for which it holds");
  }
}

}  // namespace

ir::ValueId Session::find(const GraphValue& value, std::string_view what, size_t i) const {
  const auto* const name = std::get_if<std::string>(&value.what);
  if (name == nullptr) return value_in(graph_, std::get<Tensor>(value.what), what, i);
  const ir::ValueId id = [&] {
    const auto still = graph_.staging().still();
    return graph_.staging().graph().find_value(*name);
  }();
  return id == ir::kNone ? value_in(graph_, graph_.tensor(*name), what, i) : id;  // which raises
}

Session::Call Session::prepared(TensorSpan fetches, std::span<const Feed> feeds,
                                std::span<const Operation> operations) const {
  Wanted wanted;
  Tensors in;
  for (size_t i = 0; i < fetches.size(); ++i) {
    wanted.fetches.push_back(value_in(graph_, fetches[i], "fetch", i));
  }
  for (size_t i = 0; i < feeds.size(); ++i) {
    wanted.feeds.push_back(find(feeds[i].value, "feed", i));
    in.push_back(feeds[i].given);
  }
  for (const Operation one : operations) {
    graph_.node(one);  // raises for one of another graph
    wanted.effects.push_back(one.id);
  }
  return prepared(std::move(wanted), std::move(in));
}

Session::Ready Session::made_ready(const Wanted& wanted, TensorSpan in) const {
  const Staging& staging = graph_.staging();
  const auto still = staging.still();
  const ir::Graph& graph = staging.graph();
  for (size_t i = 0; i < in.size(); ++i) {
    const ir::ValueId id = wanted.feeds[i];
    if (std::ranges::find(wanted.feeds, id) - wanted.feeds.begin() < static_cast<int64_t>(i)) {
      fail_made(graph.name_of(id), line_of(graph, id), Code::kInvalid, "Session", "feed",
                graph.name_of(id), " is fed twice, by feed ", i,
                " again; feed it once, by the value or by its name");
    }
    const Type& type = graph.value(id).type;
    if (!fits(type, in[i])) fail_feed(graph.name_of(id), line_of(graph, id), type, in[i]);
  }
  Ready out{.function = pruned(staging, wanted), .renamings = staging.renamings()};
  out.writes = written_by(*out.function);
  return out;
}

void Session::read_feeds(const Wanted& wanted, Tensors& in) const {
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i].defined() && in[i].is_concrete()) [[likely]]
      continue;
    const auto still = graph_.staging().still();
    const ir::Graph& graph = graph_.staging().graph();
    const std::string name = graph.name_of(wanted.feeds[i]);
    try {
      in[i] = concrete_value(in[i], {"Session", text("feed ", name)});
    } catch (Error& error) {
      throw note_made(error, name, line_of(graph, wanted.feeds[i]));
    }
  }
}

// What is ready reads the graph no more, which may be growing.
Session::Call Session::prepared(Wanted wanted, Tensors in) const {
  if (is_closed_) fail(Code::kInvalid, "Session", "closed", "the session is closed; open another");
  read_feeds(wanted, in);
  const OutsideLevels outside;  // an open graph must not decide the sizes of the feeds
  std::lock_guard lock(mutex_);
  auto found = kept_.find(wanted);
  if (found != kept_.end() && found->second.renamings != graph_.staging().renamings()) {
    kept_.erase(found);
    found = kept_.end();
  }
  if (found == kept_.end()) {
    Ready made = made_ready(wanted, in);
    if (kept_.size() >= kMostKept) {
      kept_.erase(std::ranges::min_element(
          kept_, {}, [](const auto& one) -> uint64_t { return one.second.used; }));
    }
    found = kept_.emplace(std::move(wanted), std::move(made)).first;
    ++counters_.compiled;
  } else {
    const ir::Function& function = *found->second.function;
    for (uint32_t i = 0; i < in.size(); ++i) {
      if (!fits(function.parameter_type(i), in[i])) {
        fail_feed(function.graph.parameter_name(i), function.graph.parameter_line(i),
                  function.parameter_type(i), in[i]);
      }
    }
  }
  Ready& ready = found->second;
  ready.used = ++uses_;
  if (std::vector<Dim> sizes = sizes_of(in); sizes != ready.sizes) {
    check_names(*ready.function, in);
    check_sizes(*ready.function, in);
    ready.sizes = std::move(sizes);
  }
  return {ready.function, std::move(in), ready.writes};
}

Tensors Session::run(TensorSpan fetches, std::span<const Feed> feeds,
                     std::span<const Operation> operations) const {
  return run(prepared(fetches, feeds, operations));
}

Tensors Session::run(const Call& call) const {
  const Writing turn(call.writes);
  const OutsideLevels outside;
  const Donor donor;
  Tensors out =
      executable_of(*call.function).run(call.arguments, call.writes == 0 ? nullptr : &donor);
  std::lock_guard lock(mutex_);
  ++counters_.runs;
  counters_.ops += static_cast<int64_t>(call.function->graph.nodes().size());
  return out;
}

Planned Session::plan(TensorSpan fetches, std::span<const Feed> feeds,
                      std::span<const Operation> operations) const {
  Call call = prepared(fetches, feeds, operations);
  return {std::move(call.function), std::move(call.arguments)};
}

SessionCounters Session::counters() const {
  std::lock_guard lock(mutex_);
  SessionCounters out = counters_;
  out.kept = static_cast<int64_t>(kept_.size());
  return out;
}

}  // namespace weft
