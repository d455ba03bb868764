// Optimizers, schedules, averages and clipping for Python.
#include "bindings/optim.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings/from_python.h"
#include "bindings/gil.h"
#include "bindings/kept.h"
#include "bindings/line.h"
#include "bindings/make_optimizer.h"
#include "bindings/optim_arguments.h"
#include "bindings/variable_object.h"
#include "weft/base/error.h"
#include "weft/op/variable_state.h"
#include "weft/optim/clip.h"
#include "weft/optim/ema.h"
#include "weft/optim/lbfgs.h"
#include "weft/optim/schedule.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

using optim::EMA, optim::NamedVariable, optim::Optimizer, optim::Plateau, optim::Schedule;

nb::object wrapped(const Tensor& t) { return nb::steal(wrap(t)); }

nb::list wrapped_variables(std::span<const Variable> variables) {
  nb::list out;
  for (const Variable& v : variables) out.append(nb::steal(wrap_variable(v)));
  return out;
}

nb::dict dict_of(const optim::StateDict& state) {
  nb::dict out;
  for (const auto& [name, value] : state) out[nb::cast(name)] = wrapped(value);
  return out;
}

optim::StateDict state_from(const nb::dict& dict) {
  optim::StateDict out;
  for (const auto& [name, value] : dict) {
    if (!PyUnicode_Check(name.ptr())) {
      fail(Code::kType, "load_state_dict", "name", "a name is ", short_repr(name.ptr()),
           "; names are strings");
    }
    out[nb::cast<std::string>(name)] = tensor_in(value.ptr(), {"load_state_dict", "value"});
  }
  return out;
}

// What state_dict and load_state_dict need of a class.
template <class T>
void add_state(nb::class_<T>& type) {
  type.def("state_dict", [](const T& self) { return dict_of(self.state_dict()); })
      .def("load_state_dict",
           [](T& self, const nb::dict& state) {
             self.load_state_dict(state_from(state), python_line());
           })
      .def("state", [](const T& self) {
        nb::dict out;
        for (const NamedVariable& one : self.state()) {
          out[nb::cast(one.name)] = nb::steal(wrap_variable(one.variable));
        }
        return out;
      });
}

// A number that may be traced.
void set_option(Optimizer& self, size_t group, const std::string& name, nb::handle value) {
  if (!is_tensor(value.ptr())) {
    return self.set_option(group, name, float_from(value.ptr(), {self.name(), name}));
  }
  const Tensor given = tensor_from(value.ptr(), {self.name(), name});
  if (given.rank() != 0) {
    fail(Code::kInvalid, self.name(), name, name, " has shape ", given.shape(),
         "; it is one number");
  }
  self.set_option(group, name, given, python_line());
}

// A number now; where a graph is open, the value it has when the graph runs.
nb::object option(const Optimizer& self, size_t group, const std::string& name) {
  const optim::Group& of = self.groups().at(group);
  if (staging_level() != nullptr) return wrapped(of[name]);
  return nb::float_(of.value(name));
}

Tensors tensors_from(const nb::list& list, std::string_view who) {
  Tensors out;
  for (nb::handle item : list) out.push_back(tensor_from(item.ptr(), {who, "gradient"}));
  return out;
}

void apply_pairs(Optimizer& self, const nb::list& gradients, const nb::list& variables) {
  std::vector<optim::GradientOf> pairs;
  for (size_t i = 0; i < gradients.size(); ++i) {
    const nb::handle variable = variables[i], gradient = gradients[i];
    if (!is_variable(variable.ptr())) {
      fail(Code::kType, "apply_gradients", "variable", "pair ", i, " has ",
           type_name_of(variable.ptr()), " in the second place; pairs are (gradient, Variable)");
    }
    const Tensor given = gradient.is_none()
                             ? Tensor()
                             : tensor_from(gradient.ptr(), {"apply_gradients", "gradient"});
    pairs.emplace_back(given, variable_of(variable.ptr()));
  }
  forget_values(self.parameters());
  self.apply_gradients(pairs, python_line());
}

void add_optimizer(nb::module_& m) {
  nb::class_<Optimizer> type(m, "_Optimizer");
  add_state(type);
  type.def("step",
           [](Optimizer& self) {
             forget_values(self.parameters());
             self.step(python_line());
           })
      .def("apply_gradients", apply_pairs)
      .def("zero_grad", &Optimizer::zero_grad)
      .def("add_param_group",
           [](Optimizer& self, nb::handle parameters, const nb::dict& options) {
             self.add_param_group(
                 {variables_from(parameters, self.name()), options_from(options, self.name())});
           })
      .def("group_parameters",
           [](const Optimizer& self, size_t group) {
             return wrapped_variables(self.groups().at(group).parameters());
           })
      .def("option_names",
           [](const Optimizer& self) {
             std::vector<std::string> out;
             for (const NamedVariable& one : self.groups()[0].options()) out.push_back(one.name);
             return out;
           })
      .def("option", option)
      .def("set_option", set_option)
      .def_prop_ro("group_count", [](const Optimizer& self) { return self.groups().size(); })
      .def_prop_ro("steps", &Optimizer::steps)
      .def_prop_ro("parameters",
                   [](const Optimizer& self) { return wrapped_variables(self.parameters()); });
  m.def("_make_optimizer",
        [](const std::string& name, const nb::list& groups, const nb::dict& options) {
          return made_optimizer(name, groups_from(groups, name), options);
        });
  m.def("_make_host_optimizer",
        [](const std::string& name, const nb::list& groups, const nb::dict& options,
           const nb::object& initial, const nb::object& update) {
          return host_optimizer(name, groups_from(groups, name), options, initial, update);
        });
}

void add_lbfgs(nb::module_& m) {
  nb::class_<optim::LBFGS, Optimizer>(m, "_LBFGS")
      .def("__init__",
           [](optim::LBFGS* self, const nb::list& groups, nb::handle lr, int64_t max_iter,
              int64_t max_eval, double tolerance_grad, double tolerance_change,
              int64_t history_size, bool strong_wolfe) {
             new (self)
                 optim::LBFGS(optim::Parameters(groups_from(groups, "LBFGS")),
                              {float_from(lr.ptr(), {"LBFGS", "lr"}), max_iter, max_eval,
                               tolerance_grad, tolerance_change, history_size, strong_wolfe});
           })
      .def("step_by", [](optim::LBFGS& self, const nb::object& loss) {
        const auto computed = [&] { return tensor_from(loss().ptr(), {"LBFGS", "loss"}); };
        return wrapped(self.step(computed, python_line()));
      });
}

// A factor that Python computes: a number, or a tensor of the count. `holder.f` computes it. The
// `_Factor` holds the holder, where the garbage collector sees it: a function often references its
// own schedule.
optim::Factor factor_from(const nb::object& holder) {
  const nb::object weak = nb::steal(checked(PyWeakref_NewRef(holder.ptr(), nullptr)).give_up());
  return [reference = kept(weak)](const Tensor& t) {
    const WithGil gil;
    const nb::object alive = nb::borrow(PyWeakref_GetObject(object_in(reference).ptr()));
    if (alive.is_none()) {
      fail(Code::kInvalid, "Schedule", "factor",
           "the function of the rate was freed with its schedule; keep the schedule");
    }
    const nb::object result = alive.attr("f")(wrapped(t));
    return tensor_from(result.ptr(), {"Schedule", "factor"});
  };
}

void add_schedules(nb::module_& m) {
  namespace s = optim::schedules;
  nb::class_<optim::Factor>(m, "_Factor", nb::dynamic_attr())
      .def("__call__", [](const optim::Factor& self, nb::handle t) {
        return wrapped(self(tensor_from(t.ptr(), {"Schedule", "t"})));
      });
  m.def("_schedule_constant", &s::constant);
  m.def("_schedule_step", &s::step);
  m.def("_schedule_multi_step", &s::multi_step);
  m.def("_schedule_exponential", &s::exponential);
  m.def("_schedule_polynomial", &s::polynomial);
  m.def("_schedule_linear", &s::linear);
  m.def("_schedule_cosine", &s::cosine);
  m.def("_schedule_cosine_restarts", &s::cosine_restarts);
  m.def("_schedule_one_cycle", &s::one_cycle);
  m.def("_schedule_chained", &s::chained);
  m.def("_schedule_sequential", &s::sequential);
  m.def("_schedule_of", &factor_from);
  nb::class_<Schedule> schedule(m, "_Schedule");
  add_state(schedule);
  schedule.def(nb::init<Optimizer&, optim::Factor>(), nb::keep_alive<1, 2>())
      .def("step", [](Schedule& self) { self.step(python_line()); })
      .def("release", [](Schedule& self) { self.release(python_line()); })
      .def_prop_ro("count", &Schedule::count)
      .def_prop_ro("rates", &Schedule::rates);
  nb::class_<Plateau> plateau(m, "_Plateau");
  add_state(plateau);
  plateau
      .def(
          "__init__",
          [](Plateau* self, Optimizer& optimizer, double factor, double patience, double threshold,
             bool is_relative, bool is_max, double cooldown, double lowest) {
            new (self) Plateau(
                optimizer, {factor, patience, threshold, is_relative, is_max, cooldown, lowest});
          },
          nb::keep_alive<1, 2>())
      .def("step", [](Plateau& self, nb::handle metric) {
        self.step(tensor_from(metric.ptr(), {"Plateau", "metric"}), python_line());
      });
}

void add_averages(nb::module_& m) {
  nb::class_<EMA> type(m, "_EMA");
  add_state(type);
  type.def("__init__",
           [](EMA* self, nb::handle parameters, nb::handle decay) {
             new (self)
                 EMA(variables_from(parameters, "EMA"), float_from(decay.ptr(), {"EMA", "decay"}));
           })
      .def("update", [](EMA& self) { self.update(python_line()); })
      .def("swap", [](EMA& self) { self.swap(python_line()); })
      .def_prop_ro("decay", &EMA::decay)
      .def_prop_ro("parameters",
                   [](const EMA& self) { return wrapped_variables(self.parameters()); })
      .def_prop_ro("averages", [](const EMA& self) { return wrapped_variables(self.averages()); });
}

void add_clipping(nb::module_& m) {
  m.def("_clip_grad_norm", [](nb::handle parameters, nb::handle max_norm) {
    return wrapped(optim::clip_grad_norm(variables_from(parameters, "clip_grad_norm"),
                                         float_from(max_norm.ptr(), {"clip_grad_norm", "max_norm"}),
                                         python_line()));
  });
  m.def("_clip_grad_value", [](nb::handle parameters, nb::handle limit) {
    optim::clip_grad_value(variables_from(parameters, "clip_grad_value"),
                           float_from(limit.ptr(), {"clip_grad_value", "limit"}), python_line());
  });
  m.def("_clip_by_global_norm", [](const nb::list& tensors, nb::handle max_norm) {
    const optim::ClippedByNorm out = optim::clip_by_global_norm(
        tensors_from(tensors, "clip_by_global_norm"),
        float_from(max_norm.ptr(), {"clip_by_global_norm", "max_norm"}), python_line());
    nb::list clipped;
    for (const Tensor& t : out.tensors) clipped.append(wrapped(t));
    return nb::make_tuple(clipped, wrapped(out.norm));
  });
  m.def("_clip_by_value", [](const nb::list& tensors, nb::handle limit) {
    nb::list out;
    for (const Tensor& t :
         optim::clip_by_value(tensors_from(tensors, "clip_by_value"),
                              float_from(limit.ptr(), {"clip_by_value", "limit"}), python_line())) {
      out.append(wrapped(t));
    }
    return out;
  });
}

}  // namespace

void add_optim(nb::module_& m) {
  add_optimizer(m);
  add_lbfgs(m);
  add_schedules(m);
  add_averages(m);
  add_clipping(m);
}

}  // namespace weft::python
