// The Python line an op was called from: kept as (code object, offset), resolved when printed.
#pragma once

#include "bindings/python.h"
#include "weft/base/where.h"
#include "weft/core/tensor.h"
#include "weft/op/context.h"

namespace weft::python {

Where python_line();          // of the innermost frame outside the package; the GIL is held
void install_python_lines();  // lets to_string(Where) print them
void set_package_folder(std::string_view folder);  // whose lines are not the user's

// The line, if an input is followed by a tape or a transformation, or somebody observes: only
// records need it, for
// errors have Python's own traceback.
inline Where line_if_traced(TensorSpan in) {
  uint32_t levels = 0;
  for (const Tensor& t : in) levels |= t.defined() ? t.level() : 0;
  return levels == 0 && !context.is_special ? Where{} : python_line();
}

}  // namespace weft::python
