// The rules of an op, callable from Python: what wf.testing.check_op and the tests use.
#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

void add_rules(nanobind::module_& m);

}  // namespace weft::python
