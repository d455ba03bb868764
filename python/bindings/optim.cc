// Optimizers for Python.
#include "bindings/optim.h"

#include <nanobind/stl/string.h>

#include "bindings/from_python.h"
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

double number_from(nb::handle number, Asker asker) { return float_from(number.ptr(), asker); }

// A learning rate that is set between steps.
double rate_from(nb::handle number, std::string_view who) {
  const double lr = number_from(number, {who, "lr"});
  if (!(lr >= 0)) fail(Code::kInvalid, who, "lr", "lr is ", lr, "; it is 0 or more");
  return lr;
}

}  // namespace

void add_optim(nb::module_& m) {
  using optim::Adam, optim::Optimizer, optim::SGD;
  nb::class_<Optimizer>(m, "_Optimizer")
      .def(
          "step", [](Optimizer& self) { self.step(python_line()); },
          "Updates every parameter by its gradient; raises if one has none.")
      .def(
          "zero_grad",
          [](Optimizer& self, bool set_to_none) {
            if (!set_to_none) {
              fail(Code::kInvalid, "zero_grad", "set_to_none",
                   "set_to_none is False, but gradients are forgotten here, not filled; for zeros "
                   "call v.grad.zero_() of each Variable");
            }
            self.zero_grad();
          },
          nb::arg("set_to_none") = true, "Forgets the gradients.")
      .def_prop_ro("steps", &Optimizer::steps)
      .def_prop_ro("parameters", [](const Optimizer& self) {
        nb::list out;
        for (const Variable& v : self.parameters()) out.append(nb::steal(wrap_variable(v)));
        return out;
      });
  nb::class_<SGD, Optimizer>(m, "_SGD")
      .def(
          "__init__",
          [](SGD* self, nb::handle parameters, nb::handle lr, nb::handle momentum, bool nesterov,
             nb::handle weight_decay) {
            new (self)
                SGD(variables_from(parameters, "SGD"),
                    {number_from(lr, {"SGD", "lr"}), number_from(momentum, {"SGD", "momentum"}),
                     nesterov, number_from(weight_decay, {"SGD", "weight_decay"})});
          },
          nb::arg("parameters").none(), nb::arg("lr").none(), nb::arg("momentum").none(),
          nb::arg("nesterov"), nb::arg("weight_decay").none())
      .def_prop_rw(
          "lr", [](const SGD& self) { return self.options.lr; },
          [](SGD& self, nb::handle lr) { self.options.lr = rate_from(lr, "SGD"); },
          nb::for_setter(nb::arg("lr").none()));
  nb::class_<Adam, Optimizer>(m, "_Adam")
      .def(
          "__init__",
          [](Adam* self, nb::handle parameters, nb::handle lr, nb::handle beta1, nb::handle beta2,
             nb::handle eps, nb::handle weight_decay) {
            new (self)
                Adam(variables_from(parameters, "Adam"),
                     {number_from(lr, {"Adam", "lr"}), number_from(beta1, {"Adam", "betas"}),
                      number_from(beta2, {"Adam", "betas"}), number_from(eps, {"Adam", "eps"}),
                      number_from(weight_decay, {"Adam", "weight_decay"})});
          },
          nb::arg("parameters").none(), nb::arg("lr").none(), nb::arg("beta1").none(),
          nb::arg("beta2").none(), nb::arg("eps").none(), nb::arg("weight_decay").none())
      .def_prop_rw(
          "lr", [](const Adam& self) { return self.options.lr; },
          [](Adam& self, nb::handle lr) { self.options.lr = rate_from(lr, "Adam"); },
          nb::for_setter(nb::arg("lr").none()));
}

}  // namespace weft::python
