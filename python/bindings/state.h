// States of objects between Python and C++.
#pragma once

#include <nanobind/nanobind.h>

#include "weft/io/checkpoint/state.h"

namespace weft::python {

// None, numbers, texts, tensors, lists and dicts of these; a tuple is (tag, content). What else
// Python has, weft/_state.py makes of these.
SavedState state_from_python(nanobind::handle object);
nanobind::object state_to_python(const SavedState& state);

}  // namespace weft::python
