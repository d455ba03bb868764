// GraphIterator: a place that graphs read elements from, run by run.
//
//   const GraphIterator iterator = GraphIterator::one_shot(dataset);
//   const auto [x, y] = iterator.get_next().tensors<2>();   // inside of a Graph::Scope
//   session.run({loss_of(x, y)});                           // takes the next element
#pragma once

#include "weft/data/dataset.h"
#include "weft/runtime/graph.h"

namespace weft::data {

struct ReadPlace;

// A handle: copies are the same place.
class GraphIterator {
 public:
  // Elements of such a kind, of whatever dataset an initializer gives it.
  static GraphIterator from_structure(Spec spec, std::string name = "iterator");
  // Reads the dataset once, from the first run on.
  static GraphIterator one_shot(const Dataset& dataset, std::string name = "iterator");
  // Reads the dataset anew whenever its initializer runs.
  static GraphIterator initializable(const Dataset& dataset, std::string name = "iterator");

  // The next element, as values of the open graph: every run that needs them takes one. Raises
  // Error{kIndex} [get_next.end] in the run that finds none.
  Element get_next(Where where = Where::here()) const;
  // Operations that begin a pass over a dataset whose elements fit.
  Operation make_initializer(const Graph& graph, const Dataset& dataset,
                             Where where = Where::here()) const;
  Operation initializer(const Graph& graph, Where where = Where::here()) const;

  const Spec& spec() const;
  // Of the pass that is under way.
  State state_dict() const;
  void load_state_dict(const State& state) const;

 private:
  explicit GraphIterator(Shared<ReadPlace> place) : place_(std::move(place)) {}
  Shared<ReadPlace> place_;
};

// Makes the ops known by their names, for those who read graphs; once is enough.
void register_data_ops();

}  // namespace weft::data
