// Optimizers by name, with options by keyword; and those that users write in Python.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "bindings/python.h"
#include "weft/optim/optimizer.h"

namespace weft::python {

std::unique_ptr<optim::Optimizer> made_optimizer(const std::string& name,
                                                 std::vector<optim::ParamGroup> groups,
                                                 const nanobind::dict& options);

// `initial(parameter)` gives the state of a parameter by name, `update(p, g, state, options)` the
// new parameter and the new state.
std::unique_ptr<optim::Optimizer> host_optimizer(const std::string& name,
                                                 std::vector<optim::ParamGroup> groups,
                                                 const nanobind::dict& options,
                                                 const nanobind::object& initial,
                                                 const nanobind::object& update);

}  // namespace weft::python
