// weft.SizeFloat: a float computed from sizes of traced tensors, such as 1 / n.
#pragma once

#include <nanobind/nanobind.h>

#include "weft/state/size_float.h"

namespace weft::python {

void add_size_float_type(nanobind::module_& m);

// The formula that the object is: a size, a number, or a SizeFloat; nothing if it is none of them.
std::optional<SizeFloatAttrs> formula_in(PyObject* object);
// The formula of a SizeFloat alone.
const SizeFloatAttrs* size_float_in(PyObject* object);

// a <operation> b, as a SizeFloat; null where it has to be a number: for the sizes seen Python
// would raise or give no float, or the formula has become too long.
PyObject* size_float_of(char operation, const SizeFloatAttrs& a, const SizeFloatAttrs& b);

}  // namespace weft::python
