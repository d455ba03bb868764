// Runs whose fetches are names, operations and Variables as well as values; callables.
#include "weft/base/error.h"
#include "weft/runtime/session.h"

namespace weft {
namespace {

// A fetch by its name, found: an operation of no values, or a value.
Fetch named(const Graph& graph, const std::string& name) {
  {
    const auto still = graph.staging().still();
    const ir::Graph& nodes = graph.staging().graph();
    const ir::NodeId id = nodes.find_node(name);
    if (id != ir::kNone && nodes.node(id).outputs.empty()) return Operation{id};
  }
  return graph.tensor(name);
}

std::vector<Fetch> without_names(const Graph& graph, std::span<const Fetch> fetches) {
  std::vector<Fetch> out;
  for (const Fetch& one : fetches) {
    const auto* const name = std::get_if<std::string>(&one.what);
    out.push_back(name == nullptr ? one : named(graph, *name));
  }
  return out;
}

// A result for each fetch; `values` are those of the tensors among them.
Tensors results(std::span<const Fetch> fetches, const Tensors& values) {
  Tensors out;
  size_t next = 0;
  for (const Fetch& one : fetches) {
    const auto* const variable = std::get_if<Variable>(&one.what);
    const bool is_operation = std::holds_alternative<Operation>(one.what);
    out.push_back(variable != nullptr ? variable->value()
                  : is_operation      ? Tensor()
                                      : values[next++]);
  }
  return out;
}

std::pair<std::vector<GraphValue>, Tensors> apart(std::span<const Feed> feeds) {
  std::pair<std::vector<GraphValue>, Tensors> out;
  for (const Feed& one : feeds) {
    out.first.push_back(one.value);
    out.second.push_back(one.given);
  }
  return out;
}

}  // namespace

Wanted Session::find(std::span<const Fetch> fetches, std::span<const GraphValue> feeds) const {
  Wanted out;
  for (size_t i = 0; i < fetches.size(); ++i) {
    const auto& what = fetches[i].what;
    if (const auto* const value = std::get_if<Tensor>(&what)) {
      out.fetches.push_back(find(GraphValue(*value), "fetch", i));
    } else if (const auto* const operation = std::get_if<Operation>(&what)) {
      graph_.node(*operation);  // raises if there is none
      out.effects.push_back(operation->id);
    }
  }
  for (size_t i = 0; i < feeds.size(); ++i) out.feeds.push_back(find(feeds[i], "feed", i));
  return out;
}

SessionCallable Session::make_callable(std::span<const Fetch> fetches,
                                       std::span<const GraphValue> feeds) const {
  std::vector<Fetch> found = without_names(graph_, fetches);
  Wanted wanted = find(found, feeds);
  return {*this, std::move(found), std::move(wanted)};
}

SessionCallable Session::make_callable(std::initializer_list<Fetch> fetches,
                                       std::initializer_list<GraphValue> feeds) const {
  return make_callable(listed(fetches), listed(feeds));
}

Tensors SessionCallable::operator()(TensorSpan given) const {
  if (given.size() != wanted_.feeds.size()) {
    fail(Code::kInvalid, "Session", "callable", "the callable takes ", wanted_.feeds.size(),
         " values, one for each of its feeds, but got ", given.size());
  }
  return results(fetches_, session_.run(session_.prepared(wanted_, Tensors(given))));
}

Tensors Session::run(std::span<const Fetch> fetches, std::span<const Feed> feeds) const {
  const std::vector<Fetch> found = without_names(graph_, fetches);
  auto [places, given] = apart(feeds);
  return results(found, run(prepared(find(found, places), std::move(given))));
}

Planned Session::plan(std::span<const Fetch> fetches, std::span<const Feed> feeds) const {
  auto [places, given] = apart(feeds);
  Call call = prepared(find(without_names(graph_, fetches), places), std::move(given));
  return {std::move(call.function), std::move(call.arguments)};
}

}  // namespace weft
