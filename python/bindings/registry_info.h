// The registry as Python sees it: what signatures, stubs, docs and help are made from.
#pragma once

#include "bindings/python.h"
#include "weft/op/registry.h"

namespace weft::python {

// A dict: name, module, doc, inputs, fields, outputs, laws, known_as.
PyObject* describe(const OpEntry& entry);

}  // namespace weft::python
