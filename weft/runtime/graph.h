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

#include "weft/ir/lists.h"
#include "weft/trace/eager_scope.h"
#include "weft/trace/name_scope.h"
#include "weft/trace/staging.h"

namespace weft {

// A node of a graph, run for what it does.
struct Operation {
  ir::NodeId id = ir::kNone;
};

// A handle: copies are the same graph.
class Graph {
 public:
  Graph();
  // The graph that is being written there.
  explicit Graph(Shared<Staging> staging);

  // While it lives, every op on this thread becomes part of the graph.
  class Scope {
   public:
    explicit Scope(const Graph& graph) : scope_(*graph.staging_) {}

   private:
    StagingScope scope_;
  };

  // While it lives, what becomes part of the graph runs after these.
  class After {
   public:
    After(const Graph& graph, std::span<const Operation> operations);
    After(const Graph& graph, std::initializer_list<Operation> operations)
        : After(graph, std::span(operations.begin(), operations.size())) {}
    ~After() { staging_->after = outer_; }
    After(const After&) = delete;
    After& operator=(const After&) = delete;

   private:
    const Shared<Staging> staging_;
    const ir::NodeIds outer_;
  };

  // A value that runs are given. Symbols in the shape stand for any size.
  Tensor placeholder(DType dtype, const Shape& shape, std::string_view name = "",
                     Where where = Where::here()) const;

  // `x` as a node of its own, under a name that runs can fetch it by.
  Tensor identity(const Tensor& x, std::string_view name = "", Where where = Where::here()) const;

  // A Variable of this graph, under a name that no other of its Variables has: "layer/w", "w_1". An
  // initial value that is part of the graph is computed now; raises [Variable.initial] if that
  // takes a placeholder or a write.
  Variable variable(const Tensor& initial, VariableOptions options = {},
                    Where where = Where::here()) const;
  // The new value of the Variable, which has it once this is fetched, or run for something else.
  Tensor assign(const Variable& variable, const Tensor& value, Where where = Where::here()) const;
  Tensor assign_add(const Variable& variable, const Tensor& term,
                    Where where = Where::here()) const;
  Tensor assign_sub(const Variable& variable, const Tensor& term,
                    Where where = Where::here()) const;

  // All operations, in an order in which they can run; and what there is to know of one: its name,
  // op, line and device, until the graph grows.
  std::vector<Operation> operations() const;
  const ir::Node& node(Operation operation) const;
  Tensors inputs_of(Operation operation) const;
  Tensors outputs_of(Operation operation) const;
  // The value of a name, "loss" or "loss:0", and the operation of one. Raise [Graph.name].
  Tensor tensor(std::string_view name) const;
  Operation operation(std::string_view name) const;
  std::string name_of(const Tensor& value) const;

  // What makes a value; and an operation that is done when all of these are.
  Operation operation_of(const Tensor& value) const;
  Operation group(std::span<const Operation> operations, std::string_view name = "",
                  Where where = Where::here()) const;
  Operation group(std::initializer_list<Operation> operations, std::string_view name = "",
                  Where where = Where::here()) const {
    return group(std::span(operations.begin(), operations.size()), name, where);
  }
  // Gives every Variable that the graph has now its initial value again: the one it had when it
  // was made in the graph, or when the graph used it first.
  Operation initializer(Where where = Where::here()) const;

  // The Variables that it uses, in the order in which it met them.
  std::vector<Variable> global_variables() const;
  std::vector<Variable> trainable_variables() const;
  // Values, operations and Variables under a name of the user's, which texts keep. "results" has
  // the values of the function a graph was made of.
  void add_to_collection(const std::string& name, const Tensor& value) const;
  void add_to_collection(const std::string& name, Operation operation) const;
  void add_to_collection(const std::string& name, const Variable& variable) const;
  // The values among them; and all.
  Tensors collection(const std::string& name) const;
  std::vector<ir::Listed> members(const std::string& name) const;

  // The graph of a text. Variables that it names are taken from `variables`, or made, with zeros
  // for values. Raises [graph.parse] with line and column.
  static Graph parse(std::string_view text,
                     std::map<std::string, Variable, std::less<>> variables = {});
  // A graph of the function's ops, with placeholders for parameters.
  static Graph from(const ir::Function& function);
  // The graph that passes make of the part that gives `fetches`; of no fetches, of the values that
  // nobody reads. They are its collection "results". `dump` is a folder for the text after every
  // pass.
  Graph optimized(TensorSpan fetches = {}, const std::string& dump = "") const;

  // All of it as a function without parameters and results: what is printed and drawn.
  Shared<const ir::Function> function() const;
  std::string text() const;
  // A table of what it holds: operations by kind, Variables, inputs.
  std::string summary() const;
  // A drawing, as SVG; written to `path` if there is one, which ends in .svg, .html (a page whose
  // scopes open by a click), .dot or .gv. `depth` levels of scopes are open; negative: as many as
  // fit a screen.
  std::string draw(const std::string& path = "", int depth = -1) const;
  Staging& staging() const { return *staging_; }
  const Shared<Staging>& shared() const { return staging_; }

 private:
  using Collections = decltype(ir::Lists::collections);
  static Graph from(const ir::Function& function, const ir::Lists& lists);
  Shared<Staging> staging_;
  Shared<Collections> collections_;
};

// The derivatives of sum(ys) with respect to xs, as further ops of their graph. A Variable among
// the xs stands for all its reads. `grad_ys` weigh the ys; undefined: ones. Raises
// [gradients.count] and [gradients.cotangent] unless there is one for each y, of its dtype and
// shape, and [gradients.unconnected] unless told what to do about an x that no y depends on.
Tensors gradients(TensorSpan ys, TensorSpan xs, TensorSpan grad_ys = {},
                  bool zero_unconnected = false, Where where = Where::here());

}  // namespace weft
