// Session: runs parts of a graph.
#pragma once

#include <mutex>

#include "weft/runtime/graph.h"

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

  // The values of `fetches`, computed from the feeds; `effects` are nodes run for what they do.
  // Nothing else runs. Any value of the graph can be fed.
  Tensors run(TensorSpan fetches, std::span<const Feed> feeds = {},
              std::span<const ir::NodeId> effects = {}) const;
  Tensors run(std::initializer_list<Tensor> fetches, std::initializer_list<Feed> feeds = {}) const {
    return run(TensorSpan(fetches.begin(), fetches.size()),
               std::span<const Feed>(feeds.begin(), feeds.size()));
  }

  const Graph& graph() const { return graph_; }
  SessionCounters counters() const;
  void close() { is_closed_ = true; }

 private:
  struct Key {
    std::vector<ir::ValueId> fetches, feeds;
    std::vector<ir::NodeId> effects;
    auto operator<=>(const Key&) const = default;
  };
  Shared<const ir::Function> function_for(const Key& key) const;

  static constexpr size_t kMostKept = 256;
  Graph graph_;
  bool is_closed_ = false;
  mutable std::mutex mutex_;
  mutable std::map<Key, Shared<const ir::Function>> kept_;
  mutable SessionCounters counters_;
};

}  // namespace weft
