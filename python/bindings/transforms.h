// Derivatives and batching of Python functions over flat lists of tensors.
#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

void add_transforms(nanobind::module_& m);

}  // namespace weft::python
