// What runs are asked for and given: values of a graph, by handle or by name.
//
//   session.run({"loss", step, w}, {{"x:0", batch}});
#pragma once

#include <variant>

#include "weft/runtime/graph.h"

namespace weft {

// A value, or its name: "x", or "x:0".
struct GraphValue {
  // NOLINTBEGIN(google-explicit-constructor): what a list of feeds is written with.
  GraphValue(Tensor value) : what(std::move(value)) {}
  GraphValue(const char* name) : what(std::string(name)) {}
  GraphValue(std::string name) : what(std::move(name)) {}
  // NOLINTEND(google-explicit-constructor)

  std::variant<Tensor, std::string> what;
};

struct Feed {
  GraphValue value;  // of the graph
  Tensor given;
};

// A value, an operation, a Variable, or a name: "loss:0" is a value; so is "loss", or an operation
// if that gives no values.
struct Fetch {
  // NOLINTBEGIN(google-explicit-constructor): what a list of fetches is written with.
  Fetch(Tensor value) : what(std::move(value)) {}
  Fetch(Operation operation) : what(operation) {}
  Fetch(Variable variable) : what(std::move(variable)) {}
  Fetch(const char* name) : what(std::string(name)) {}
  Fetch(std::string name) : what(std::move(name)) {}
  // NOLINTEND(google-explicit-constructor)

  std::variant<Tensor, Operation, Variable, std::string> what;
};

}  // namespace weft
