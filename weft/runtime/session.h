// Session: runs parts of a graph.
#pragma once

#include <mutex>

#include "weft/runtime/graph.h"
#include "weft/runtime/planned.h"
#include "weft/runtime/prune.h"
#include "weft/runtime/writing.h"

namespace weft {

struct Feed {
  Tensor value;  // of the graph
  Tensor given;
};

struct SessionCounters {
  int64_t runs = 0, compiled = 0, ops = 0;  // ops that runs have executed
};

// From many threads at once; the graph may grow between runs.
class Session {
 public:
  explicit Session(Graph graph) : graph_(std::move(graph)) {}

  // The values of `fetches`, computed from the feeds; `operations` run for what they do. Nothing
  // else runs. Any value of the graph can be fed. Raises [Session.feed] for a placeholder that is
  // needed and not fed and for a feed of another type, [Session.unused] for a feed that nothing
  // needs, [Session.sizes] for sizes that the graph took for equal, each with the line.
  Tensors run(TensorSpan fetches, std::span<const Feed> feeds = {},
              std::span<const Operation> operations = {}) const;
  Tensors run(std::initializer_list<Tensor> fetches, std::initializer_list<Feed> feeds = {}) const {
    return run(TensorSpan(fetches.begin(), fetches.size()),
               std::span<const Feed>(feeds.begin(), feeds.size()));
  }
  void run(Operation operation, std::initializer_list<Feed> feeds = {}) const {
    run({}, std::span<const Feed>(feeds.begin(), feeds.size()), std::span(&operation, 1));
  }

  // The same run, not done but looked at: its memory and its time.
  Planned plan(TensorSpan fetches, std::span<const Feed> feeds = {},
               std::span<const Operation> operations = {}) const;
  Planned plan(std::initializer_list<Tensor> fetches,
               std::initializer_list<Feed> feeds = {}) const {
    return plan(TensorSpan(fetches.begin(), fetches.size()),
                std::span<const Feed>(feeds.begin(), feeds.size()));
  }

  const Graph& graph() const { return graph_; }
  SessionCounters counters() const;
  void close() { is_closed_ = true; }

 private:
  // A signature made ready, and the sizes it ran with last.
  struct Ready {
    Shared<const ir::Function> function;
    std::vector<Dim> sizes = {};
    WrittenSet writes = 0;
  };
  struct Call {
    Shared<const ir::Function> function;
    Tensors arguments;
    WrittenSet writes = 0;
  };
  Call prepared(TensorSpan fetches, std::span<const Feed> feeds,
                std::span<const Operation> operations) const;

  static constexpr size_t kMostKept = 256;
  Graph graph_;
  bool is_closed_ = false;
  mutable std::mutex mutex_;
  mutable std::map<Wanted, Ready> kept_;
  mutable SessionCounters counters_;
};

}  // namespace weft
