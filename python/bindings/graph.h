// Graphs, sessions, traced functions and control flow for Python, over flat lists of tensors.
#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

void add_graphs(nanobind::module_& m);
void add_traced(nanobind::module_& m);
void add_control(nanobind::module_& m);

}  // namespace weft::python
