// A summary of a function: what goes in and out, its Variables, its ops, what it all takes.
#pragma once

#include "weft/ir/function.h"

namespace weft::ir {

struct Summary {
  struct Value {
    std::string name;
    Type type;
  };
  struct Place {  // a Variable
    std::string name;
    Type type;
    int64_t elements = 0, bytes = 0;
    bool trainable = true;
  };
  struct Count {
    std::string op;
    int64_t count = 0;
  };
  std::string name;
  std::vector<Value> inputs, outputs;  // parameters and placeholders; results
  std::vector<Place> variables;        // that it reads or writes, each once
  std::vector<Count> ops;              // by how many there are; with those of functions inside
  int64_t op_count = 0, function_count = 0;  // the functions that it calls
  int64_t parameters = 0, trainable = 0, parameter_bytes = 0;
  int64_t constants = 0, constant_bytes = 0;
};

Summary summarize(const Function& function);
std::string to_string(const Summary& summary);  // as a table

// The same in one step.
std::string summary(const Function& function);

}  // namespace weft::ir
