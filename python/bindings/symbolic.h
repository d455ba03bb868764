// Objects that stand for tensors to come: a call of an op with one of them is noted by its type's
// __weft_call__(function, args, keywords), and what that gives is the result.
#pragma once

#include "bindings/python.h"

namespace weft::python {

// The first such object among arguments, also in lists and tuples: borrowed, null if there is none.
PyObject* find_symbol(PyObject* const* args, size_t count);

// What the symbol makes of the call; the arguments are those of a vectorcall.
PyObject* note_call(PyObject* symbol, PyObject* function, PyObject* const* args, size_t count,
                    PyObject* keywords);

}  // namespace weft::python
