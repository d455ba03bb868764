// The levels of C++ for Python: the package flattens trees, this runs them.
#include "bindings/transforms.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bindings/from_python.h"
#include "bindings/gil.h"
#include "bindings/kept.h"
#include "bindings/line.h"
#include "bindings/lists.h"
#include "bindings/tensor_object.h"
#include "bindings/variable_object.h"
#include "weft/base/error.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/transform/backward.h"
#include "weft/transform/checkpoint.h"
#include "weft/transform/cotangent.h"
#include "weft/transform/custom.h"
#include "weft/transform/grad_check.h"
#include "weft/transform/jacobian.h"
#include "weft/transform/jvp.h"
#include "weft/transform/tape.h"
#include "weft/transform/vmap.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

Unconnected unconnected_from(const std::string& word, std::string_view who) {
  if (word == "raise") return Unconnected::kRaise;
  if (word == "zero") return Unconnected::kZero;
  if (word == "none") return Unconnected::kNone;
  fail(Code::kInvalid, who, "unconnected", "unconnected is '", word,
       "'; it is one of 'raise', 'zero', 'none'");
}

void add_linearization(nb::module_& m) {
  nb::class_<Linearization>(m, "_Linearization")
      .def("__init__",
           [](Linearization* self, nb::handle f, nb::handle in, const std::string& who) {
             const Called called{f, who};
             new (self) Linearization(called, tensors_from(in, who), python_line(), who);
           })
      .def_prop_ro("outputs", [](const Linearization& self) { return listed(self.outputs()); })
      .def("pull",
           [](const Linearization& self, nb::handle cotangents, bool last) {
             return listed(self.pull(tensors_from(cotangents, "vjp"), last));
           })
      .def("push",
           [](const Linearization& self, nb::handle tangents) {
             return listed(self.push(tensors_from(tangents, "linearize")));
           })
      .def("connected", [](const Linearization& self, nb::handle gradients, nb::handle like,
                           const std::string& unconnected, const std::string& who) {
        return listed(connected(self, tensors_from(gradients, who), tensors_from(like, who),
                                unconnected_from(unconnected, who), who, python_line()));
      });
}

nb::object jvp_of(nb::handle f, nb::handle primals, nb::handle tangents) {
  const Called called{f, "jvp"};
  JvpResult out =
      jvp_flat(called, tensors_from(primals, "jvp"), tensors_from(tangents, "jvp"), python_line());
  return nb::make_tuple(listed(std::move(out.outputs)), listed(std::move(out.tangents)));
}

Randomness randomness_from(const std::string& word) {
  if (word == "raise") return Randomness::kRaise;
  if (word == "same") return Randomness::kSame;
  if (word == "different") return Randomness::kDifferent;
  fail(Code::kInvalid, "vmap", "randomness", "randomness is '", word,
       "'; it is one of 'raise', 'same', 'different'");
}

// (passed, summary, entries, ops)
nb::object grad_check_of(nb::handle f, nb::handle in, std::vector<std::string> names, int order,
                         bool jvp, bool vjp, int directions, uint64_t seed) {
  const Called called{f, "grad_check"};
  const GradCheckReport report =
      grad_check_flat(called, tensors_from(in, "grad_check"),
                      {order, jvp, vjp, directions, seed, std::move(names)}, python_line());
  nb::list entries;
  for (const GradCheckEntry& entry : report.entries) {
    nb::dict row;
    row["order"] = entry.order;
    row["what"] = entry.what;
    row["argument"] = entry.argument;
    row["direction"] = entry.direction;
    row["at"] = entry.at;
    row["expected"] = entry.expected;
    row["got"] = entry.got;
    row["error"] = entry.error;
    row["tolerance"] = entry.tolerance;
    row["note"] = entry.note;
    row["passed"] = entry.passed;
    entries.append(row);
  }
  return nb::make_tuple(report.passed(), report.summary(), entries, report.ops);
}

using Axes = std::vector<std::optional<int64_t>>;

Axes axes_from(nb::handle list, std::string_view name) {
  Axes out;
  for (nb::handle item : list) {
    if (item.is_none()) {
      out.push_back(std::nullopt);
    } else {
      out.push_back(int_from(item.ptr(), {"vmap", name}));
    }
  }
  return out;
}

// `f` gives its outputs and, known only then, their axes.
nb::object vmap_of(nb::handle f, nb::handle in, nb::handle in_axes, nb::handle axis_size,
                   const std::string& axis_name, const std::string& randomness) {
  FlatVmapOptions options;
  options.randomness = randomness_from(randomness);
  options.in_axes = axes_from(in_axes, "in_axes");
  if (!axis_size.is_none()) options.axis_size = int_from(axis_size.ptr(), {"vmap", "axis_size"});
  if (options.axis_size.value_or(0) < 0) {
    fail(Code::kInvalid, "vmap", "size", "axis_size is ", *options.axis_size, "; it is 0 or more");
  }
  options.axis_name = axis_name;
  const auto called = [&](TensorSpan inner) {
    Tensors given(inner.begin(), inner.end());
    const nb::tuple out = nb::cast<nb::tuple>(f(listed(std::move(given))));
    options.out_axes = axes_from(out[1], "out_axes");
    return tensors_from(out[0], "vmap");
  };
  return listed(vmap_flat(called, tensors_from(in, "vmap"), options, python_line()));
}

void backward_of(nb::handle loss, nb::handle gradient, bool retain_graph, bool create_graph,
                 nb::handle inputs) {
  tensor_in(loss.ptr(), {"backward", "the loss"});
  BackwardOptions options;
  if (!gradient.is_none()) {
    options.gradient =
        is_tensor(gradient.ptr())
            ? tensor_of(gradient.ptr())
            : new_tensor(gradient.ptr(), tensor_of(loss.ptr()).dtype(), {"backward", "gradient"});
  }
  options.retain_graph = retain_graph;
  options.create_graph = create_graph;
  std::vector<Variable> only;
  if (is_variable(inputs.ptr())) {
    only.push_back(variable_of(inputs.ptr()));
  } else if (!inputs.is_none()) {
    for (nb::handle item : inputs) {
      if (!is_variable(item.ptr())) {
        fail(Code::kType, "backward", "argument", "inputs must be Variables, but got ",
             short_repr(item.ptr()));
      }
      only.push_back(variable_of(item.ptr()));
    }
  }
  options.inputs = only;
  const Where where = python_line();
  const Tensor start = tensor_of(loss.ptr());
  const nb::gil_scoped_release release;
  backward(start, options, where);
}

// `with no_grad():` and GradientTape begin and end on one thread, the last begun first.
class NoGradScope {
 public:
  NoGradScope() = default;
  NoGradScope(const NoGradScope&) = delete;
  NoGradScope& operator=(const NoGradScope&) = delete;
  void enter() { scopes_.push_back(std::make_unique<NoGrad>()); }
  void exit() {
    if (scopes_.empty()) {
      fail(Code::kInvalid, "no_grad", "with",
           "ends before it has begun; write `with wf.no_grad():`");
    }
    scopes_.pop_back();
  }

 private:
  std::vector<std::unique_ptr<NoGrad>> scopes_;
};

// A source is watched as it is, or as the leaf of a Variable.
Tensors sources_from(const GradientTape& tape, nb::handle sources) {
  Tensors out;
  for (nb::handle source : sources) {
    out.push_back(is_variable(source.ptr()) ? tape.leaf_of(variable_of(source.ptr()))
                                            : tensor_in(source.ptr(), {"gradient", "a source"}));
  }
  return out;
}

// The rules of a Python object: forward(ctx, tensors), backward(ctx, cotangents), jvp(primals,
// tangents), batch(size, batched, tensors).
Shared<const CustomRules> rules_from(nb::object object) {
  auto rules = new_shared<CustomRules>();
  rules->name = nb::cast<std::string>(object.attr("name"));
  rules->per_example = nb::cast<bool>(object.attr("per_example"));
  rules->fill_cotangents = nb::cast<bool>(object.attr("fill_cotangents"));
  rules->is_traced = nb::cast<bool>(object.attr("is_traced"));
  const Shared<void> held = kept(object);
  const auto rule = [held](const char* name) {
    return nb::handle(static_cast<PyObject*>(held.get())).attr(name);
  };
  rules->forward = [rule, name = rules->name](CustomContext& context, TensorSpan in) {
    const WithGil gil;
    nb::object ctx = rule("make_context")();
    const nb::object out = rule("forward")(ctx, listed(Tensors(in.begin(), in.end())));
    Tensors outputs = tensors_from(out, name);
    for (const Tensor& output : outputs) {
      if (!output.defined()) {
        fail(Code::kType, name, "forward", "its forward gives None; it must give a tensor");
      }
    }
    // A saved output must be the very tensor that is given back.
    context.save_for_backward(tensors_from(ctx.attr("_to_save"), name));
    context.user = kept(std::move(ctx));
    return outputs;
  };
  if (!object.attr("backward").is_none()) {
    rules->backward = [rule, name = rules->name](const CustomContext& context,
                                                 TensorSpan cotangents) {
      const WithGil gil;
      const nb::handle ctx(static_cast<PyObject*>(context.user.get()));
      nb::list wanted;
      for (size_t i = 0; i < context.input_count(); ++i) wanted.append(context.needs_input_grad(i));
      const nb::object seen = ctx.attr("_seen")(listed(context.saved_tensors()), wanted);
      return tensors_from(
          rule("backward")(seen, listed(Tensors(cotangents.begin(), cotangents.end()))), name);
    };
  }
  if (!object.attr("jvp").is_none()) {
    rules->jvp = [rule, name = rules->name](TensorSpan primals, TensorSpan tangents) {
      const WithGil gil;
      return tensors_from(rule("jvp")(listed(Tensors(primals.begin(), primals.end())),
                                      listed(Tensors(tangents.begin(), tangents.end()))),
                          name);
    };
  }
  if (!object.attr("batch").is_none()) {
    rules->batch = [rule, name = rules->name](const BatchCtx& cx) {
      const WithGil gil;
      nb::list batched;
      for (const bool is_batched : cx.batched) batched.append(is_batched);
      const Tensors in(cx.inputs.begin(), cx.inputs.end());
      return tensors_from(rule("batch")(cx.size.value(), batched, listed(in)), name);
    };
  }
  return rules;
}

void add_tape(nb::module_& m) {
  nb::class_<GradientTape>(m, "_GradientTape")
      .def("__init__",
           [](GradientTape* self, bool persistent, bool watch_accessed) {
             new (self) GradientTape(GradientTape::Options{persistent, watch_accessed});
           })
      .def("watch",
           [](GradientTape& self, nb::handle x) {
             if (is_variable(x.ptr())) return self.watch(variable_of(x.ptr()));
             tensor_in(x.ptr(), {"watch", "a value to watch"});
             // The Python object now holds the watched value: whoever has the object uses it.
             self.watch(reinterpret_cast<TensorObject*>(x.ptr())->value, python_line());
           })
      .def("stop", [](GradientTape& self) { self.stop(); })
      .def("pause", [](GradientTape& self) { self.pause(); })
      .def("resume", [](GradientTape& self) { self.resume(); })
      .def("gradient",
           [](GradientTape& self, nb::handle targets, nb::handle sources, nb::handle cotangents,
              const std::string& unconnected) {
             return listed(self.gradient(
                 tensors_from(targets, "gradient"), sources_from(self, sources),
                 tensors_from(cotangents, "gradient"),
                 unconnected_from(unconnected, "GradientTape.gradient"), python_line()));
           })
      .def("jacobian",
           [](GradientTape& self, nb::handle target, nb::handle sources,
              const std::string& unconnected) {
             const std::string_view who = "GradientTape.jacobian";
             return listed(self.jacobian(tensor_in(target.ptr(), {who, "target"}),
                                         sources_from(self, sources),
                                         unconnected_from(unconnected, who), python_line()));
           })
      .def("batch_jacobian", [](GradientTape& self, nb::handle target, nb::handle sources,
                                const std::string& unconnected) {
        const std::string_view who = "GradientTape.batch_jacobian";
        return nb::steal(wrap(self.batch_jacobian(
            tensor_in(target.ptr(), {who, "target"}), sources_from(self, sources)[0],
            unconnected_from(unconnected, who), python_line())));
      });
}

}  // namespace

void add_transforms(nb::module_& m) {
  install_python_lines();
  m.def("_set_package_folder", [](const std::string& folder) { set_package_folder(folder); });
  add_linearization(m);
  add_tape(m);
  nb::class_<NoGradScope>(m, "_NoGrad")
      .def(nb::init<>())
      .def("enter", &NoGradScope::enter)
      .def("exit", &NoGradScope::exit);
  m.def("_jvp", jvp_of);
  m.def("_jacrev", [](nb::handle f, nb::handle in) {
    return listed(jacrev_flat(Called{f, "jacrev"}, tensors_from(in, "jacrev"), python_line()));
  });
  m.def("_jacfwd", [](nb::handle f, nb::handle in) {
    return listed(jacfwd_flat(Called{f, "jacfwd"}, tensors_from(in, "jacfwd"), python_line()));
  });
  m.def("_hessian", [](nb::handle f, nb::handle in) {
    return listed(hessian_flat(Called{f, "hessian"}, tensors_from(in, "hessian"), python_line()));
  });
  m.def("_initial_cotangent", [](nb::handle value, const std::string& who) {
    const Tensor& target = tensor_in(value.ptr(), {who, "the value"});
    return nb::steal(wrap(initial_cotangent(target, Tensor(), who, python_line())));
  });
  m.def("_grad_check", grad_check_of);
  m.def("_vmap", vmap_of, nb::arg("f"), nb::arg("inputs"), nb::arg("in_axes"),
        nb::arg("axis_size").none(), nb::arg("axis_name"), nb::arg("randomness"));
  m.def("axis_index", [](const std::string& axis_name) {
    return nb::steal(wrap(axis_index(axis_name, python_line())));
  });
  m.def("_psum", [](nb::handle x, const std::string& axis_name) {
    return nb::steal(wrap(psum(tensor_in(x.ptr(), {"psum", "x"}), axis_name, python_line())));
  });
  m.def("_pmean", [](nb::handle x, const std::string& axis_name) {
    return nb::steal(wrap(pmean(tensor_in(x.ptr(), {"pmean", "x"}), axis_name, python_line())));
  });
  m.def("_backward", backward_of, nb::arg("loss"), nb::arg("gradient").none(),
        nb::arg("retain_graph"), nb::arg("create_graph"), nb::arg("inputs").none());
  m.def("_apply_custom", [](nb::object rules, nb::handle in) {
    return listed(apply_custom(rules_from(rules), tensors_from(in, "custom"), python_line()));
  });
  m.def("_checkpoint", [](nb::object f, nb::handle in) {
    const Shared<void> held = kept(std::move(f));
    const auto run = [held](TensorSpan tensors) {
      const WithGil gil;
      return Called{nb::handle(static_cast<PyObject*>(held.get())), "checkpoint"}(tensors);
    };
    return listed(checkpoint_flat(run, tensors_from(in, "checkpoint"), python_line()));
  });
  m.def("_level", [](nb::handle x) { return tensor_in(x.ptr(), {"level", "x"}).level(); });
  m.def("_detached", [](nb::handle x) {
    return nb::steal(wrap(detach(tensor_in(x.ptr(), {"detach", "x"}), python_line())));
  });
  m.def("_without_ended_levels", [](nb::handle x) {
    return nb::steal(wrap(without_ended_levels(tensor_in(x.ptr(), {"grad", "aux"}))));
  });
}

}  // namespace weft::python
