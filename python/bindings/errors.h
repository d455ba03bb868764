// The classes weft.Error and its subclasses, and errors on their way from C++ to Python.
#pragma once

#include "bindings/python.h"
#include "weft/base/error.h"

namespace weft::python {

// Makes the classes and puts them into the module.
void add_error_classes(PyObject* module);

// Sets the Python exception that stands for the error.
void raise_error(const Error& error);

// The process ends: daemon threads whose work is stopped for that sleep until it is gone, instead
// of an exception that nobody waits for. With the GIL.
void begin_exit();

// Lets Ctrl-C end long work: the pool asks between tiles.
void install_interrupt_poll();

}  // namespace weft::python
