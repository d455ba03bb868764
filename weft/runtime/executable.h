// Executable: a function made ready to run many times on plain values.
#pragma once

#include "weft/ir/function.h"

namespace weft {

class Executable {
 public:
  explicit Executable(const ir::Function& function);

  // From many threads at once, if need be.
  Tensors run(TensorSpan arguments) const;

 private:
  struct Step {
    const ir::Node* node;
    bool has_symbols;       // its attributes have sizes to be filled in
    bool finds_sizes;       // its results have sizes that values decide
    ir::ValueIds released;  // read here for the last time
  };

  const ir::Function& function_;
  std::vector<Step> steps_;
  bool needs_sizes_ = false;
};

// The executable of a function, made on first use and kept with it.
const Executable& executable_of(const ir::Function& function);

}  // namespace weft
