// Graph: define first, run later.
//
//   Graph graph;
//   {
//     const Graph::Scope scope(graph);
//     const Tensor x = graph.placeholder(DType::kF32, {Dim::symbol("n"), 784}, "x");
//     const Tensor y = matmul(x, w);
//   }
//   const Tensors out = Session(graph).run({y}, {{x, batch}});
#pragma once

#include <map>

#include "weft/trace/staging.h"

namespace weft {

class Graph {
 public:
  Graph();

  // While it lives, every op on this thread becomes part of the graph.
  class Scope {
   public:
    explicit Scope(const Graph& graph) : scope_(*graph.staging_) {}

   private:
    StagingScope scope_;
  };

  // A value that runs are given. Symbols in the shape stand for any size.
  Tensor placeholder(DType dtype, const Shape& shape, std::string_view name = "",
                     Where where = Where::here()) const;

  // The new value of the Variable, which has it once this is fetched.
  Tensor assign_sub(const Variable& variable, const Tensor& term,
                    Where where = Where::here()) const;

  // All of it as a function without parameters and results: what is printed and drawn.
  Shared<const ir::Function> function() const;
  std::string text() const;
  Staging& staging() const { return *staging_; }
  const Shared<Staging>& shared() const { return staging_; }

 private:
  Shared<Staging> staging_;
};

// The part of a graph that gives `results`, from the values in `fed`: nothing else. `effects` are
// nodes to be run for what they do. Raises [Session.feed] for a placeholder that is needed and not
// fed.
Shared<const ir::Function> pruned(const ir::Graph& graph, std::span<const ir::ValueId> fed,
                                  std::span<const ir::ValueId> results,
                                  std::span<const ir::NodeId> effects);

// The derivatives of sum(ys) with respect to xs, as further ops of their graph. `grad_ys` weigh the
// ys; undefined: ones. Raises [gradients.unconnected] unless told what to do about an x that no y
// depends on.
Tensors gradients(TensorSpan ys, TensorSpan xs, TensorSpan grad_ys = {},
                  bool zero_unconnected = false, Where where = Where::here());

}  // namespace weft
