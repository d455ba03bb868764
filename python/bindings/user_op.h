// Ops defined in Python: an OpDef made at run time whose rules call back.
#pragma once

#include <nanobind/nanobind.h>

#include "weft/op/attrs.h"

namespace weft::python {

// Registers the op that the dict describes and gives its function; see weft/_user_ops.py, which
// makes the dict.
nanobind::object define_op(const nanobind::dict& spec);

// The defaults of an attribute struct; those of user ops know their op, which `construct` cannot
// tell them.
void construct_defaults(const AttrsType& type, void* at);

}  // namespace weft::python
