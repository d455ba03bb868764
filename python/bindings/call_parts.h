// A call of a traced function taken apart: its tensors, and a text for all the rest.
#pragma once

#include <optional>

#include "bindings/python.h"
#include "weft/core/tensor.h"

namespace weft::python {

struct CallParts {
  Tensors tensors;      // from left to right, keys of dicts in sorted order
  std::string statics;  // "(*, 2.0, 'mean')": a star for each tensor, objects by their addresses
};

// The arguments that are compared by type and value, whatever they are.
struct StaticArguments {
  std::vector<Py_ssize_t> positions;
  std::vector<std::string> names;  // of those that are passed by keyword
  Ref numbers;  // a dict: {(type, value): number} of those that numbers and texts do not tell apart

  bool empty() const { return positions.empty() && names.empty(); }
};

// Nothing if there is something among the arguments that needs Python's look at it: a dataclass, a
// named tuple, an object with __array__.
std::optional<CallParts> taken_apart(PyObject* args, PyObject* keywords, std::string_view who,
                                     const StaticArguments& fixed = {});

}  // namespace weft::python
