// Arguments of optimizers: Variables, groups of them, and numbers by name.
#pragma once

#include <nanobind/nanobind.h>

#include "bindings/python.h"
#include "weft/optim/optimizer.h"

namespace weft::python {

std::vector<Variable> variables_from(nanobind::handle list, std::string_view who);
std::vector<optim::Option> options_from(const nanobind::dict& dict, std::string_view who);
// Of pairs: a list of Variables, and a dict of numbers.
std::vector<optim::ParamGroup> groups_from(const nanobind::list& groups, std::string_view who);

}  // namespace weft::python
