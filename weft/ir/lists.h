// Lists: what a whole graph has beside its ops, collections of the user's and its Variables.
#pragma once

#include <map>

#include "weft/ir/graph.h"

namespace weft::ir {

// One of what is listed under a name: a value, an op, or a Variable.
struct Listed {
  ValueId value = kNone;
  NodeId node = kNone;
  Variable variable;
};

struct Lists {
  std::map<std::string, std::vector<Listed>, std::less<>> collections;
  std::vector<Variable> variables;  // whether or not an op uses them
};

}  // namespace weft::ir
