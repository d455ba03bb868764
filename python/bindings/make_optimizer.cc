// From a name and keywords to an optimizer of the library, or to one whose update is Python's.
#include "bindings/make_optimizer.h"

#include <nanobind/stl/string.h>

#include "bindings/from_python.h"
#include "bindings/gil.h"
#include "bindings/optim_arguments.h"
#include "bindings/tensor_object.h"
#include "weft/base/error.h"
#include "weft/op/builtin.h"
#include "weft/op/variable_state.h"
#include "weft/optim/adadelta.h"
#include "weft/optim/adafactor.h"
#include "weft/optim/adagrad.h"
#include "weft/optim/adam.h"
#include "weft/optim/adamax.h"
#include "weft/optim/asgd.h"
#include "weft/optim/lamb.h"
#include "weft/optim/lion.h"
#include "weft/optim/nadam.h"
#include "weft/optim/radam.h"
#include "weft/optim/rmsprop.h"
#include "weft/optim/rprop.h"
#include "weft/optim/sgd.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

// The keywords of a call, each into the field of its name.
class Keywords {
 public:
  Keywords(std::string who, const nb::dict& given) : who_(std::move(who)), given_(given) {}

  void operator()(const char* name, double& field) const {
    if (!given_.contains(name)) return;
    field = float_from(nb::object(given_[name]).ptr(), {who_, keyword_of(name)});
  }
  void operator()(const char* name, bool& field) const {
    if (!given_.contains(name)) return;
    const nb::object value = given_[name];
    const int truth = PyObject_IsTrue(value.ptr());
    if (truth < 0) {
      if (!PyErr_ExceptionMatches(PyExc_Exception)) throw nb::python_error();
      PyErr_Clear();
      fail(Code::kType, who_, "argument", name, " must be True or False, but got ",
           type_name_of(value.ptr()));
    }
    field = truth != 0;
  }

 private:
  // People give these in pairs.
  static std::string_view keyword_of(std::string_view name) {
    if (name.starts_with("beta") && name.size() == 5) return "betas";
    if (name.starts_with("eta_")) return "etas";
    return name == "smallest" || name == "largest" ? "step_sizes" : name;
  }

  const std::string who_;
  const nb::dict& given_;
};

// Options by the names that their fields have.
template <class Options>
void read(Options& o, const Keywords& k) {
  k("lr", o.lr);
  if constexpr (requires { o.beta1; }) k("beta1", o.beta1), k("beta2", o.beta2);
  if constexpr (requires { o.eps; }) k("eps", o.eps);
  if constexpr (requires { o.weight_decay; }) k("weight_decay", o.weight_decay);
  if constexpr (requires { o.momentum; }) k("momentum", o.momentum);
  if constexpr (requires { o.dampening; }) k("dampening", o.dampening);
  if constexpr (requires { o.nesterov; }) k("nesterov", o.nesterov);
  if constexpr (requires { o.amsgrad; }) k("amsgrad", o.amsgrad);
  if constexpr (requires { o.centered; }) k("centered", o.centered);
  if constexpr (requires { o.alpha; }) k("alpha", o.alpha);
  if constexpr (requires { o.rho; }) k("rho", o.rho);
  if constexpr (requires { o.lr_decay; }) {
    k("lr_decay", o.lr_decay), k("initial_accumulator_value", o.initial_accumulator_value);
  }
  if constexpr (requires { o.momentum_decay; }) k("momentum_decay", o.momentum_decay);
  if constexpr (requires { o.decoupled_weight_decay; }) {
    k("decoupled_weight_decay", o.decoupled_weight_decay);
  }
  if constexpr (requires { o.eta_minus; }) {
    k("eta_minus", o.eta_minus), k("eta_plus", o.eta_plus);
    k("smallest", o.smallest), k("largest", o.largest);
  }
  if constexpr (requires { o.lambd; }) k("lambd", o.lambd), k("t0", o.t0);
  if constexpr (requires { o.beta2_decay; }) {
    k("beta2_decay", o.beta2_decay), k("eps1", o.eps1), k("eps2", o.eps2), k("d", o.d);
  }
  k("maximize", o.maximize);
}

using Groups = std::vector<optim::ParamGroup>;
using Made = std::unique_ptr<optim::Optimizer>;

template <class Optimizer, class Options>
Made make(Groups groups, const Keywords& keywords) {
  Options options;
  read(options, keywords);
  return std::make_unique<Optimizer>(optim::Parameters(std::move(groups)), options);
}

struct Maker {
  const char* name;
  Made (*make)(Groups groups, const Keywords& keywords);
};
constexpr Maker kMakers[] = {
    {"SGD", make<optim::SGD, optim::SGDOptions>},
    {"Adam", make<optim::Adam, optim::AdamOptions>},
    {"AdamW", make<optim::AdamW, optim::AdamWOptions>},
    {"NAdam", make<optim::NAdam, optim::NAdamOptions>},
    {"RAdam", make<optim::RAdam, optim::RAdamOptions>},
    {"Adamax", make<optim::Adamax, optim::AdamaxOptions>},
    {"Adagrad", make<optim::Adagrad, optim::AdagradOptions>},
    {"Adadelta", make<optim::Adadelta, optim::AdadeltaOptions>},
    {"RMSprop", make<optim::RMSprop, optim::RMSpropOptions>},
    {"Lion", make<optim::Lion, optim::LionOptions>},
    {"LAMB", make<optim::LAMB, optim::LAMBOptions>},
    {"Adafactor", make<optim::Adafactor, optim::AdafactorOptions>},
    {"Rprop", make<optim::Rprop, optim::RpropOptions>},
    {"ASGD", make<optim::ASGD, optim::ASGDOptions>},
};

// One that a user wrote: its update runs as plain ops, parameter by parameter.
class HostOptimizer : public optim::Optimizer {
 public:
  HostOptimizer(optim::Form form, Groups groups, nb::object update)
      : Optimizer(std::move(form), optim::Parameters(std::move(groups))),
        update_(std::move(update)) {}

 protected:
  void update(const optim::Group& group, TensorSpan gradients, Where where) override {
    const WithGil gil;
    nb::dict options;
    for (const optim::NamedVariable& one : group.options()) {
      options[nb::cast(one.name)] = nb::steal(wrap(group[one.name]));
    }
    options["t"] = nb::steal(wrap(group.t()));
    for (size_t i = 0; i < gradients.size(); ++i) {
      const Variable& parameter = group.parameters()[i];
      nb::dict state;
      for (size_t k = 0; k < form().slots.size(); ++k) {
        state[nb::cast(form().slots[k].name)] = nb::steal(wrap(optim::now(group.slot(k, i))));
      }
      const Tensor g = multiply(gradients[i], cast(scale(), gradients[i].dtype(), where), where);
      const nb::object result =
          update_(nb::steal(wrap(optim::now(parameter))), nb::steal(wrap(g)), state, options);
      if (!nb::isinstance<nb::tuple>(result) || nb::len(result) != 2) {
        fail(Code::kType, name(), "update", "update gave ", short_repr(result.ptr()),
             "; it gives the new parameter and the new state, a dict");
      }
      parameter.assign(given(nb::object(result[0]), parameter), where);
      store(nb::object(result[1]), group, i, where);
    }
  }

 private:
  // In the dtype of the place: options are float64 and widen what they meet.
  Tensor given(const nb::object& value, const Variable& place) const {
    return cast(tensor_from(value.ptr(), {name(), "update"}), place.dtype());
  }
  void store(const nb::object& state, const optim::Group& group, size_t i, Where where) const {
    for (size_t k = 0; k < form().slots.size(); ++k) {
      const std::string& slot = form().slots[k].name;
      if (!nb::isinstance<nb::dict>(state) || !nb::cast<nb::dict>(state).contains(slot.c_str())) {
        fail(Code::kInvalid, name(), "state", "update gave no new '", slot,
             "'; it gives all of the state that init made");
      }
      group.slot(k, i).assign(given(nb::object(state[nb::cast(slot)]), group.slot(k, i)), where);
    }
  }

  const nb::object update_;
};

}  // namespace

Made made_optimizer(const std::string& name, Groups groups, const nb::dict& options) {
  for (const Maker& maker : kMakers) {
    if (name == maker.name) return maker.make(std::move(groups), Keywords(name, options));
  }
  fail(Code::kInternal, "optim", "name", "there is no optimizer ", name);
}

Made host_optimizer(const std::string& name, Groups groups, const nb::dict& options,
                    const nb::object& initial, const nb::object& update) {
  optim::Form form{.name = name, .options = options_from(options, name)};
  for (optim::Option& option : form.options) option.range = optim::Range::kAny;
  if (!groups.empty() && !groups[0].parameters.empty()) {
    const nb::object first = initial(nb::steal(wrap(weft::stored_value(groups[0].parameters[0]))));
    if (!nb::isinstance<nb::dict>(first)) {
      fail(Code::kType, name, "init", "init gave ", short_repr(first.ptr()),
           "; it gives the state of a parameter, a dict of tensors");
    }
    for (nb::handle key : nb::cast<nb::dict>(first).keys()) {
      const auto slot = nb::cast<std::string>(key);
      form.slots.push_back({slot, [name, slot, initial](const optim::Group&, const Tensor& p) {
                              const nb::object state = initial(nb::steal(wrap(p)));
                              return new_tensor(nb::object(state[nb::cast(slot)]).ptr(), {},
                                                {name, slot});
                            }});
    }
  }
  return std::make_unique<HostOptimizer>(std::move(form), std::move(groups), update);
}

}  // namespace weft::python
