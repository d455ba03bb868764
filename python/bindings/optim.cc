// Optimizers for Python.
#include "bindings/optim.h"

#include <nanobind/stl/string.h>

#include "bindings/line.h"
#include "bindings/variable_object.h"
#include "weft/base/error.h"
#include "weft/optim/adam.h"
#include "weft/optim/sgd.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

std::vector<Variable> variables_from(nb::handle list, std::string_view who) {
  std::vector<Variable> out;
  for (nb::handle item : list) {
    if (!is_variable(item.ptr())) {
      fail(Code::kType, who, "parameters", "parameter ", out.size(), " is ",
           type_name_of(item.ptr()), "; it must be a Variable: wf.Variable(x)");
    }
    out.push_back(variable_of(item.ptr()));
  }
  return out;
}

}  // namespace

void add_optim(nb::module_& m) {
  using optim::Adam, optim::Optimizer, optim::Sgd;
  nb::class_<Optimizer>(m, "_Optimizer")
      .def(
          "step", [](Optimizer& self) { self.step(python_line()); },
          "Updates every parameter by its gradient; raises if one has none.")
      .def("zero_grad", &Optimizer::zero_grad, "Forgets the gradients.")
      .def_prop_ro("steps", &Optimizer::steps)
      .def_prop_ro("parameters", [](const Optimizer& self) {
        nb::list out;
        for (const Variable& v : self.parameters()) out.append(nb::steal(wrap_variable(v)));
        return out;
      });
  nb::class_<Sgd, Optimizer>(m, "_SGD")
      .def("__init__",
           [](Sgd* self, nb::handle parameters, double lr, double momentum, bool nesterov,
              double weight_decay) {
             new (self)
                 Sgd(variables_from(parameters, "SGD"), {lr, momentum, nesterov, weight_decay});
           })
      .def_prop_rw(
          "lr", [](const Sgd& self) { return self.options.lr; },
          [](Sgd& self, double lr) { self.options.lr = lr; });
  nb::class_<Adam, Optimizer>(m, "_Adam")
      .def("__init__",
           [](Adam* self, nb::handle parameters, double lr, double beta1, double beta2, double eps,
              double weight_decay) {
             new (self)
                 Adam(variables_from(parameters, "Adam"), {lr, beta1, beta2, eps, weight_decay});
           })
      .def_prop_rw(
          "lr", [](const Adam& self) { return self.options.lr; },
          [](Adam& self, double lr) { self.options.lr = lr; });
}

}  // namespace weft::python
