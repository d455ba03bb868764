// The graph that a Python Graph holds.
#pragma once

#include <memory>

#include "weft/base/error.h"
#include "weft/runtime/graph.h"

namespace weft::python {

// `with graph:`, which may be entered several times.
struct GraphObject {
  Graph graph;
  std::vector<std::unique_ptr<Graph::Scope>> scopes;

  GraphObject() = default;
  explicit GraphObject(Graph made) : graph(std::move(made)) {}
  GraphObject(const GraphObject&) = delete;
  GraphObject& operator=(const GraphObject&) = delete;

  void enter() { scopes.push_back(std::make_unique<Graph::Scope>(graph)); }
  void exit() {
    if (scopes.empty()) {
      fail(Code::kInvalid, "Graph", "with", "ends before it has begun; write `with wf.Graph():`");
    }
    scopes.pop_back();
  }
  Staging& staging() { return graph.staging(); }
};

}  // namespace weft::python
