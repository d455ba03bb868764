// Arguments of a type that a function of nanobind does not take: Weft's error for them.
#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

// Lets functions and methods of the module raise Weft's own error in place of
// nanobind's "incompatible function arguments". weft._misfits writes its text.
void explain_misfits(nanobind::module_& module);

}  // namespace weft::python
