// Session: runs parts of a graph.
#pragma once

#include <array>
#include <mutex>

#include "weft/base/mutex.h"
#include "weft/runtime/fetch.h"
#include "weft/runtime/planned.h"
#include "weft/runtime/prune.h"
#include "weft/runtime/writing.h"

namespace weft {

struct SessionCounters {
  int64_t runs = 0, compiled = 0, ops = 0;  // ops that runs have executed
  int64_t kept = 0;                         // signatures that are ready now
};

class SessionCallable;

// From many threads at once, and while one thread makes the graph grow: a run is of what there was
// when it began.
class Session {
 public:
  explicit Session(Graph graph) : graph_(std::move(graph)) {}

  // The values of `fetches`, computed from the feeds; `operations` run for what they do. Nothing
  // else runs. Any value of the graph can be fed. Raises [Session.feed] for a placeholder that is
  // needed and not fed and for a feed of another type, [Session.unused] for a feed that nothing
  // needs, [Session.sizes] for sizes that the graph took for equal, each with the line.
  Tensors run(TensorSpan fetches, std::span<const Feed> feeds = {},
              std::span<const Operation> operations = {}) const;
  // The same with names, operations and Variables among the fetches. There is a result for each:
  // of an operation an undefined tensor, of a Variable what it holds when the run has ended.
  Tensors run(std::span<const Fetch> fetches, std::span<const Feed> feeds = {}) const;
  Tensors run(std::initializer_list<Fetch> fetches, std::initializer_list<Feed> feeds = {}) const {
    return run(listed(fetches), listed(feeds));
  }
  Tensor run(const Fetch& fetch, std::initializer_list<Feed> feeds = {}) const {
    return run(std::span(&fetch, 1), listed(feeds))[0];
  }
  void run(Operation operation, std::initializer_list<Feed> feeds = {}) const {
    run({}, listed(feeds), std::span(&operation, 1));
  }

  // The same run, not done but looked at: its memory and its time.
  Planned plan(TensorSpan fetches, std::span<const Feed> feeds = {},
               std::span<const Operation> operations = {}) const;
  Planned plan(std::span<const Fetch> fetches, std::span<const Feed> feeds = {}) const;
  Planned plan(std::initializer_list<Fetch> fetches, std::initializer_list<Feed> feeds = {}) const {
    return plan(listed(fetches), listed(feeds));
  }

  // A function of the fed values that gives the fetches, which are looked for now and not at each
  // call. The session must live as long.
  SessionCallable make_callable(std::span<const Fetch> fetches,
                                std::span<const GraphValue> feeds = {}) const;
  SessionCallable make_callable(std::initializer_list<Fetch> fetches,
                                std::initializer_list<GraphValue> feeds = {}) const;

  const Graph& graph() const { return graph_; }
  SessionCounters counters() const;
  void close() { is_closed_ = true; }

 private:
  friend class SessionCallable;
  template <class T>
  static std::span<const T> listed(std::initializer_list<T> items) {
    return {items.begin(), items.size()};
  }

  // A signature made ready, and the sizes it ran with last.
  struct Ready {
    Shared<const ir::Function> function;
    WrittenSet writes = 0;
    uint64_t renamings = 0;  // of the graph, when it was made ready
    uint64_t used = 0;       // the number of the run that used it last
    std::vector<Dim> sizes = {};
  };
  struct Call {
    Shared<const ir::Function> function;
    Tensors arguments;
    WrittenSet writes = 0;
  };
  Call prepared(TensorSpan fetches, std::span<const Feed> feeds,
                std::span<const Operation> operations) const;
  Call prepared(Wanted wanted, Tensors given) const;
  // Replaces the feeds by their values in memory; raises [Session.concrete] or [Session.gradient].
  void read_feeds(const Wanted& wanted, Tensors& given) const;
  Ready made_ready(const Wanted& wanted, TensorSpan given) const;
  Tensors run(const Call& call) const;
  ir::ValueId find(const GraphValue& value, std::string_view what, size_t i) const;
  Wanted find(std::span<const Fetch> fetches, std::span<const GraphValue> feeds) const;

  static constexpr size_t kMostKept = 256;  // the one that was not used for longest goes
  Graph graph_;
  bool is_closed_ = false;
  mutable Mutex mutex_;
  mutable std::map<Wanted, Ready> kept_;
  mutable uint64_t uses_ = 0;
  mutable SessionCounters counters_;
};

// session.make_callable({"loss"}, {"x"}) is called with a value for x.
class SessionCallable {
 public:
  // Raises [Session.callable] for another number of values than there are feeds.
  Tensors operator()(TensorSpan given) const;
  template <class... Given>
    requires(std::convertible_to<const Given&, Tensor> && ...)
  Tensors operator()(const Given&... given) const {
    const std::array<Tensor, sizeof...(Given)> all{Tensor(given)...};
    return (*this)(TensorSpan(all));
  }

 private:
  friend class Session;
  SessionCallable(const Session& session, std::vector<Fetch> fetches, Wanted wanted)
      : session_(session), fetches_(std::move(fetches)), wanted_(std::move(wanted)) {}

  const Session& session_;
  std::vector<Fetch> fetches_;
  Wanted wanted_;
};

}  // namespace weft
