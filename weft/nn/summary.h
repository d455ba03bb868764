// Summary: what a call of a model does, module by module. Module::summary makes it; text(it) is the
// table.
#pragma once

#include <string>
#include <vector>

#include "weft/base/function_ref.h"
#include "weft/core/tensor.h"

namespace weft::nn {

class ModuleBase;

struct Summary {
  struct Row {
    std::string name, type;  // "first.0", "Linear"
    std::string results;     // shapes: "[32, 10]"
    int64_t parameters = 0;  // here and below
    int64_t operations = 0;  // two for each product of matrices and convolutions, else one a result
    int64_t bytes = 0;       // of results, here and below
  };
  std::vector<Row> rows;  // the module itself first
  int64_t parameters = 0, frozen = 0;
  int64_t operations = 0, bytes = 0;  // of the whole call
};
void append_text(std::string& out, const Summary& summary);

// Multiplications and additions of an op, as people count them.
int64_t operations_of(std::string_view op, TensorSpan inputs, TensorSpan outputs);

namespace detail {

// Raises [Module.forward] if a module in it has an operator() of its own.
Summary summarized(ModuleBase& module, FunctionRef<void()> call);

Tensor as_input(const Shape& shape);
template <class T>
const T& as_input(const T& input) {
  return input;
}

}  // namespace detail
}  // namespace weft::nn
