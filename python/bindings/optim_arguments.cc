// From Python lists and dicts to groups of parameters.
#include "bindings/optim_arguments.h"

#include <nanobind/stl/string.h>

#include "bindings/from_python.h"
#include "bindings/variable_object.h"
#include "weft/base/error.h"

namespace nb = nanobind;

namespace weft::python {

std::vector<Variable> variables_from(nb::handle list, std::string_view who) {
  std::vector<Variable> out;
  if (is_tensor(list.ptr()) || !PySequence_Check(list.ptr())) {
    fail(Code::kType, who, "parameters", "parameters must be a list of Variables, but got ",
         type_name_of(list.ptr()), "; write [v] for one Variable");
  }
  for (nb::handle item : list) {
    if (!is_variable(item.ptr())) {
      fail(Code::kType, who, "parameters", "parameter ", out.size(), " is ",
           type_name_of(item.ptr()), "; it must be a Variable: wf.Variable(x)");
    }
    out.push_back(variable_of(item.ptr()));
  }
  return out;
}

std::vector<optim::Option> options_from(const nb::dict& dict, std::string_view who) {
  std::vector<optim::Option> out;
  for (const auto& [key, value] : dict) {
    const auto name = nb::cast<std::string>(key);
    out.push_back({name, float_from(value.ptr(), {who, name})});
  }
  return out;
}

std::vector<optim::ParamGroup> groups_from(const nb::list& groups, std::string_view who) {
  std::vector<optim::ParamGroup> out;
  for (nb::handle group : groups) {
    out.push_back({variables_from(group[0], who), options_from(nb::dict(group[1]), who)});
  }
  return out;
}

}  // namespace weft::python
