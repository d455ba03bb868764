// Types of the extension that Python code can reach and must not make instances of.
#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

// Calling the types of functions and methods of the module raises TypeError, as calling those of
// Python's own built-in functions does. `module` has all its functions and classes.
void seal_function_types(nanobind::module_& module);

}  // namespace weft::python
