// Runs of a graph: the part that is needed, made ready once per signature.
#include "weft/runtime/session.h"

#include "weft/base/error.h"
#include "weft/op/scope.h"
#include "weft/runtime/executable.h"

namespace weft {
namespace {

ir::ValueId value_in(const Graph& graph, const Tensor& t, std::string_view what, size_t i) {
  const ir::ValueId id = t.defined() ? staged_value(t, graph.staging()) : ir::kNone;
  if (id == ir::kNone) {
    fail(Code::kInvalid, "Session", what, what, " ", i,
         " is no value of this graph; fetch and feed what was made in its scope");
  }
  return id;
}

// What is fed must be of the value's type.
void check_feed(const ir::Graph& graph, ir::ValueId id, const Tensor& given) {
  const Type& type = graph.value(id).type;
  bool fits = given.dtype() == type.dtype && given.rank() == type.rank();
  for (size_t k = 0; fits && k < type.shape.size(); ++k) {
    fits = !type.shape[k].is_known() || type.shape[k] == given.shape()[k];
  }
  if (fits) return;
  const ir::Value& value = graph.value(id);
  Error error(Code::kInvalid, "Session", "feed",
              text(graph.name_of(id), " is ", type, " but ", given.type(), " is fed"));
  if (value.maker != ir::kNone && graph.node(value.maker).where.known()) {
    error.note(text("made at ", to_string(graph.node(value.maker).where)));
  }
  throw error;
}

}  // namespace

Shared<const ir::Function> Session::function_for(const Key& key) const {
  std::lock_guard lock(mutex_);
  const auto found = kept_.find(key);
  if (found != kept_.end()) return found->second;
  const ir::Graph& graph = graph_.staging().graph();
  Shared<const ir::Function> made = pruned(graph, key.feeds, key.fetches, key.effects);
  for (const ir::Assumption& one : graph_.staging().assumptions()) {
    const_cast<ir::Function&>(*made).assumptions.push_back(one);
  }
  if (kept_.size() >= kMostKept) kept_.clear();
  ++counters_.compiled;
  return kept_[key] = std::move(made);
}

Tensors Session::run(TensorSpan fetches, std::span<const Feed> feeds,
                     std::span<const ir::NodeId> effects) const {
  if (is_closed_) fail(Code::kInvalid, "Session", "closed", "the session is closed; open another");
  Key key;
  for (size_t i = 0; i < fetches.size(); ++i) {
    key.fetches.push_back(value_in(graph_, fetches[i], "fetch", i));
  }
  Tensors in;
  for (size_t i = 0; i < feeds.size(); ++i) {
    const ir::ValueId id = value_in(graph_, feeds[i].value, "feed", i);
    check_feed(graph_.staging().graph(), id, feeds[i].given);
    key.feeds.push_back(id);
    in.push_back(feeds[i].given);
  }
  key.effects.assign(effects.begin(), effects.end());
  const Shared<const ir::Function> function = function_for(key);
  const ScopeIs none(nullptr);
  const NoGrad off;
  Tensors out = executable_of(*function).run(in);
  std::lock_guard lock(mutex_);
  ++counters_.runs;
  counters_.ops += static_cast<int64_t>(function->graph.nodes().size());
  return out;
}

SessionCounters Session::counters() const {
  std::lock_guard lock(mutex_);
  return counters_;
}

}  // namespace weft
