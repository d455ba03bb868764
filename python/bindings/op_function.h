// OpFunction: the one Python type of all op functions, filled from the registry.
#pragma once

#include "bindings/python.h"
#include "weft/core/tensor.h"
#include "weft/op/registry.h"

namespace weft::python {

void add_op_function_type(PyObject* module);

// The function of an op; its module is set by the package.
PyObject* make_op_function(const OpEntry& entry);

// Runs an op (or composite) on prepared handles: one object, or a tuple where it has several
// outputs. The GIL is released for long work.
PyObject* call_op(const OpEntry& entry, TensorSpan in, const void* attrs);

const OpEntry* entry_of_function(PyObject* object);  // null if it is no op function

}  // namespace weft::python
