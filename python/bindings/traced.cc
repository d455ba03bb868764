// weft._core._Traced: what wf.function is made of. A call that is like the one before it runs
// without any Python; all others ask the class made of it, which knows trees and how to trace.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>

#include "bindings/call_parts.h"
#include "bindings/dtype_object.h"
#include "bindings/from_python.h"
#include "bindings/graph.h"
#include "bindings/graph_object.h"
#include "bindings/graph_views.h"
#include "bindings/line.h"
#include "bindings/lists.h"
#include "bindings/outside.h"
#include "bindings/tensor_object.h"
#include "weft/ir/print.h"
#include "weft/op/builtin.h"
#include "weft/op/context.h"
#include "weft/op/registry.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/runtime/as_called.h"
#include "weft/runtime/planned.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

// What Python keeps for a trace: (places read outside, form of the results, what the form is made
// of, objects that are part of the signature, what was no tensor in the call).
struct Side {
  enum class Form : uint8_t { kLeaf, kTuple, kTree };
  Ref held;
  Outside outside;
  Form form;

  explicit Side(PyObject* tuple)
      : held(Ref::borrowed(tuple)), outside(PyTuple_GET_ITEM(tuple, 0)), form(Form::kTree) {
    const std::string_view word = text_of(PyTuple_GET_ITEM(tuple, 2));
    form = word == "leaf" ? Form::kLeaf : word == "tuple" ? Form::kTuple : Form::kTree;
  }
  PyObject* places() const { return PyTuple_GET_ITEM(held.get(), 0); }
  PyObject* statics() const { return PyTuple_GET_ITEM(held.get(), 4); }
};

struct TracedObject {
  TracedFunction traces;
  std::vector<std::unique_ptr<Side>> sides;  // by the number of the trace
  StaticArguments fixed;

  TracedObject(TracedOptions options, StaticArguments fixed_ones)
      : traces(std::move(options)), fixed(std::move(fixed_ones)) {}
  TracedObject(const TracedObject&) = delete;
  TracedObject& operator=(const TracedObject&) = delete;

  const std::string& name() const { return traces.options().name; }
  const Side* side_of(const TraceEntry& entry) const {
    return entry.number < sides.size() ? sides[entry.number].get() : nullptr;
  }
  // What the trace read outside of its arguments.
  bool is_as_it_was(const TraceEntry& entry) const {
    const Side* const side = side_of(entry);
    return side == nullptr || side->outside.is_as_it_was();
  }
  std::string what_changed(const TraceEntry& entry) const {
    const Side* const side = side_of(entry);
    return side == nullptr ? "" : side->outside.what_changed();
  }
};

// Calls the Python tracer: from a list of tensors to (a list of tensors, what belongs to a Side).
struct Tracer {
  nb::handle call;
  std::string_view who;
  nb::object side = {};

  Tensors operator()(TensorSpan in) {
    const nb::tuple both =
        nb::cast<nb::tuple>(call.attr("trace")(listed(Tensors(in.begin(), in.end()))));
    side = both[1];
    return tensors_from(both[0], who);
  }
};

struct Found {
  Shared<const TraceEntry> entry;
  const Side* side = nullptr;
  std::unique_ptr<Side> own = {};  // of a trace that is good for one call
};

// What the call, a `_Call` of Python, tells about itself.
class Words {
 public:
  Words(const TracedObject& self, nb::handle call) : self_(self), call_(call) {}
  operator CallWords() const { return {names_, what_changed_}; }

 private:
  const TracedObject& self_;
  const nb::handle call_;
  const std::function<std::vector<std::string>()> names_ = [this] {
    return nb::cast<std::vector<std::string>>(call_.attr("names")());
  };
  const std::function<std::string(const TraceEntry&)> what_changed_ = [this](
                                                                          const TraceEntry& entry) {
    const Side* const side = self_.side_of(entry);
    const nb::handle before = side == nullptr ? nb::handle(Py_None) : nb::handle(side->statics());
    return nb::cast<std::string>(call_.attr("what_changed")(before));
  };
};

// The entry, with what Python keeps for it: what the tracer left, if it has traced.
Found with_side(TracedObject& self, const Tracer& tracer, Shared<const TraceEntry> entry) {
  Found out{std::move(entry)};
  if (tracer.side.is_valid()) {
    auto side = std::make_unique<Side>(tracer.side.ptr());
    out.side = side.get();
    if (out.entry->is_single) {
      out.own = std::move(side);
      return out;
    }
    if (self.sides.size() <= out.entry->number) self.sides.resize(out.entry->number + 1);
    self.sides[out.entry->number] = std::move(side);
  } else {
    out.side = self.side_of(*out.entry);
  }
  return out;
}

Found found_for(TracedObject& self, nb::handle call, TensorSpan in, const std::string& statics,
                Where where) {
  Tracer tracer{call, self.name()};
  const auto is_as_it_was = [&](const TraceEntry& entry) { return self.is_as_it_was(entry); };
  const auto what_changed = [&](const TraceEntry& entry) { return self.what_changed(entry); };
  return with_side(self, tracer,
                   self.traces.entry_for(tracer, in, statics, where, {is_as_it_was, what_changed},
                                         nullptr, Words(self, call)));
}

// The results in their form; null with an error set.
PyObject* formed(const Side& side, Tensors out) {
  if (side.form == Side::Form::kLeaf) return wrap(std::move(out[0]));
  if (side.form == Side::Form::kTuple) return wrap_all(std::move(out));
  static const nb::object unflatten =
      *new nb::object(nb::module_::import_("weft._tree").attr("unflatten"));
  const nb::object leaves = listed(std::move(out));
  return unflatten(nb::handle(PyTuple_GET_ITEM(side.held.get(), 1)), leaves).release().ptr();
}

Tensors run(const TraceEntry& entry, TensorSpan in, Where where) {
  const nb::gil_scoped_release release;
  return TracedFunction::call(entry, in, where);
}

// Has an op, or a function of the package's Python code, found something wrong with its arguments?
// A refusal to trace has another class, or comes from neither.
bool is_of_arguments(const nb::python_error& error) {
  static const auto& classes = *new std::vector<nb::object>([] {
    const nb::object core = nb::module_::import_("weft._core");
    std::vector<nb::object> out;
    for (const char* name :
         {"InvalidError", "WrongTypeError", "OutOfRangeError", "TooLargeError"}) {
      out.push_back(core.attr(name));
    }
    return out;
  }());
  const bool is_of_class =
      std::ranges::any_of(classes, [&](const nb::object& one) { return error.type().is(one); });
  if (!is_of_class) return false;
  // Errors that Python code raised have no entry of their own: their op is read from the text.
  const nb::object op = error.value().attr("__dict__").attr("get")("op");
  return op.is_none() || weft::is_of_op(nb::cast<std::string>(op));
}

// An op inside of another one has found sizes that do not fit: traced with these sizes in place of
// symbols, the op that was called finds it first, and says it as it does without a trace. Returns
// if it does not.
void trace_with_sizes(TracedObject& self, nb::handle call, TensorSpan in) {
  Tracer tracer{call, self.name()};
  try {
    weft::trace_with_sizes(tracer, self.name(), in);
  } catch (const nb::python_error& error) {
    if (is_of_arguments(error)) throw;
  }
}

// A trace for a call whose sizes the one that seemed to fit does not run for; raises what the
// callable does of them. None if it was something else that failed.
std::optional<Found> found_exactly(TracedObject& self, nb::handle call, const TraceEntry& entry,
                                   TensorSpan in, const std::string& statics, Where where) {
  if (!fails_for_sizes(entry, in)) return {};
  Tracer tracer{call, self.name()};
  Shared<const TraceEntry> exact =
      self.traces.exact_entry_for(tracer, in, statics, where, nullptr, Words(self, call));
  if (exact == nullptr) return {};
  return with_side(self, tracer, std::move(exact));
}

nb::handle keywords_or_none(PyObject* keywords) {
  return keywords != nullptr ? nb::handle(keywords) : nb::handle(Py_None);
}

// A call that is like one of the last few.
PyObject* call_recent(nb::handle object, PyObject* args, PyObject* keywords) {
  const TracedObject& self = *nb::inst_ptr<TracedObject>(object);
  if (context.is_special) return nullptr;
  const std::optional<CallParts> parts = taken_apart(args, keywords, self.name(), self.fixed);
  if (!parts) return nullptr;
  const auto is_as_it_was = [&](const TraceEntry& entry) { return self.is_as_it_was(entry); };
  const Shared<const TraceEntry> entry =
      self.traces.recent_for(parts->tensors, parts->statics, {is_as_it_was});
  if (entry == nullptr) return nullptr;
  const Side* const side = self.side_of(*entry);
  if (side == nullptr) return nullptr;
  Tensors out;
  try {
    out = run(*entry, parts->tensors, python_line());
  } catch (const Error&) {
    if (are_sizes_wrong(*entry, parts->tensors)) return nullptr;  // nothing of it has run
    throw;
  }
  return formed(*side, std::move(out));
}

// The error that is set, with the frames of the user's in its traceback and without our own.
void shorten_traceback() {
  PyObject *type = nullptr, *error = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &error, &traceback);
  PyErr_NormalizeException(&type, &error, &traceback);
  if (traceback != nullptr && error != nullptr) {
    PyException_SetTraceback(error, traceback);
    const Ref module(PyImport_ImportModule("weft._tracebacks"));
    const Ref shorter(module ? PyObject_CallMethod(module.get(), "shortened", "O", error)
                             : nullptr);
    if (shorter) {
      Py_DECREF(traceback);
      Py_INCREF(shorter.get());
      traceback = shorter.get();
      if (traceback == Py_None) Py_CLEAR(traceback);
    }
    PyErr_Clear();  // of the shortening: the error itself matters
  }
  PyErr_Restore(type, error, traceback);
}

PyObject* traced_call(PyObject* self, PyObject* args, PyObject* keywords) {
  PyObject* const result = guarded([&]() -> PyObject* {
    if (PyObject* const out = call_recent(self, args, keywords)) return out;
    if (PyErr_Occurred() != nullptr) throw PendingError();
    const nb::handle all = keywords_or_none(keywords);
    return nb::handle(self).attr("_call")(nb::handle(args), all).release().ptr();
  });
  if (result == nullptr) shorten_traceback();
  return result;
}

int traced_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  TracedObject& traced = *nb::inst_ptr<TracedObject>(self);
  Py_VISIT(traced.fixed.numbers.get());
  for (const std::unique_ptr<Side>& side : traced.sides) {
    if (side != nullptr) Py_VISIT(side->held.get());
  }
  return 0;
}

int traced_clear(PyObject* self) {
  std::vector<std::unique_ptr<Side>> dropped;
  if (nb::inst_ready(self)) dropped.swap(nb::inst_ptr<TracedObject>(self)->sides);
  return 0;
}

PyType_Slot traced_slots[] = {{Py_tp_call, reinterpret_cast<void*>(traced_call)},
                              {Py_tp_traverse, reinterpret_cast<void*>(traced_traverse)},
                              {Py_tp_clear, reinterpret_cast<void*>(traced_clear)},
                              {0, nullptr}};

// A graph that does what a call of the trace does: whatever is fetched of it, its writes are done.
Graph graph_of(const TraceEntry& entry, Where where) {
  const Graph out;
  const Graph::Scope scope(out);
  const ir::Graph& traced = entry.trace.function->graph;
  Tensors in;
  for (size_t i = 0; i < entry.parameters; ++i) {
    const Type& type = entry.trace.function->parameter_type(i);
    in.push_back(out.placeholder(type.dtype, type.shape, traced.parameter_name(i), where));
  }
  Tensors results = TracedFunction::call(entry, in, where);
  std::vector<Operation> writes;
  const ir::Graph& graph = out.staging().graph();
  for (ir::NodeId id = 0; id < graph.nodes().size(); ++id) {
    if (graph.node(id).op->effect == Effect::kWrites) writes.push_back({id});
  }
  const Graph::After after(out, writes);
  for (const Tensor& t : results) {
    out.add_to_collection("results", writes.empty() ? t : out.identity(t, "", where));
  }
  return out;
}

// (dtype, sizes) of each result, for the sizes of the traced call; None is a size that is known
// only in a run.
nb::list result_types(const ir::Function& function) {
  nb::list out;
  for (size_t i = 0; i < function.results.size(); ++i) {
    const Type& type = function.result_type(i);
    nb::list sizes;
    for (const Dim dim : type.shape) {
      const Dim size = substituted(dim, function.hints);
      sizes.append(size.is_known() ? nb::object(nb::int_(size.value())) : nb::object(nb::none()));
    }
    out.append(nb::make_tuple(nb::borrow(dtype_object(type.dtype)), nb::tuple(sizes)));
  }
  return out;
}

void add_entry_type(nb::module_& m) {
  m.def("_graph_of_trace", [](const TraceEntry& entry) {
    return std::make_unique<GraphObject>(graph_of(entry, python_line()));
  });
  nb::class_<TraceEntry>(m, "_TraceEntry")
      .def_ro("number", &TraceEntry::number)
      .def_ro("reason", &TraceEntry::reason)
      .def("text", [](const TraceEntry& self) { return ir::to_text(*self.trace.function); })
      .def("shown",
           [](const TraceEntry& self, const std::string& what, nb::dict options) {
             const ir::Function& function = *self.trace.function;
             return shown(function, what, options,
                          function.parameter_count() - self.trace.captured.size());
           })
      .def("graph_def",
           [](const TraceEntry& self) {
             return graph_def_to_python(io::graph_def(*self.trace.function));
           })
      .def("result_types",
           [](const TraceEntry& self) { return result_types(*self.trace.function); })
      .def("nodes", [](const TraceEntry& self) {
        nb::list out;
        const ir::Graph& graph = self.trace.function->graph;
        for (const ir::Node& node : graph.nodes()) out.append(node_info(graph, node));
        return out;
      });
}

// (dtype, shape) of each argument.
TracedOptions options_from(const std::string& name, size_t max_traces, nb::list signature) {
  TracedOptions out{.name = name, .max_traces = max_traces, .warn_after = 0};  // Python warns
  for (nb::handle item : signature) {
    const nb::tuple pair = nb::cast<nb::tuple>(item);
    out.signature.emplace_back(
        Type{dtype_from(nb::handle(pair[0]).ptr(), {"function", "input_signature"}),
             shape_from(pair[1])});
  }
  return out;
}

}  // namespace

void add_traced(nb::module_& m) {
  add_entry_type(m);
  m.def("_unchanged", [](nb::list places) {
    nb::list out;
    const Outside all(places.ptr());
    for (size_t i = 0; i < places.size(); ++i) {
      if (all.is_as_it_was(i)) out.append(places[i]);
    }
    return out;
  });
  nb::class_<TracedObject>(m, "_Traced", nb::type_slots(traced_slots))
      .def("__init__",
           [](TracedObject* self, const std::string& name, size_t max_traces, nb::list signature,
              std::vector<Py_ssize_t> positions, std::vector<std::string> names, nb::dict numbers) {
             new (self) TracedObject(
                 options_from(name, max_traces, signature),
                 {std::move(positions), std::move(names), Ref::borrowed(numbers.ptr())});
           })
      // (results in their form, places read outside). The call is traced if no trace fits.
      .def("_run",
           [](TracedObject& self, nb::handle call, nb::handle in, const std::string& statics) {
             const Tensors arguments = tensors_from(in, self.name());
             const Where where = python_line();
             Found found;
             try {
               found = found_for(self, call, arguments, statics, where);
             } catch (const nb::python_error& error) {
               if (is_of_arguments(error)) trace_with_sizes(self, call, arguments);
               throw;
             }
             const auto has_exact = [&] {
               std::optional<Found> exact =
                   found_exactly(self, call, *found.entry, arguments, statics, where);
               if (exact) found = std::move(*exact);
               return exact.has_value();
             };
             if (innermost_staging() != nullptr) has_exact();  // it runs later, without handlers
             Tensors results;
             try {
               results = run(*found.entry, arguments, where);
             } catch (const Error&) {
               if (!has_exact()) throw;
               results = run(*found.entry, arguments, where);
             }
             nb::object out = nb::steal(formed(*found.side, std::move(results)));
             return nb::make_tuple(out, nb::handle(found.side->places()));
           })
      .def("_entry",
           [](TracedObject& self, nb::handle call, nb::handle in, const std::string& statics) {
             const Found found =
                 found_for(self, call, tensors_from(in, self.name()), statics, python_line());
             return nb::make_tuple(*found.entry, nb::handle(found.side->held.get()));
           })
      // The same of the trace that was made last; None: there is none.
      .def("_newest",
           [](TracedObject& self) -> nb::object {
             const Shared<const TraceEntry> entry = self.traces.newest();
             const Side* const side = entry == nullptr ? nullptr : self.side_of(*entry);
             return side == nullptr ? nb::object(nb::none())
                                    : nb::make_tuple(*entry, nb::handle(side->held.get()));
           })
      // The results of that trace, in a list.
      .def("_run_entry",
           [](TracedObject& self, const TraceEntry& entry, nb::handle call, nb::handle in,
              const std::string& statics) {
             const Tensors arguments = tensors_from(in, self.name());
             const Where where = python_line();
             self.traces.check_fits(entry, arguments, statics, where, Words(self, call));
             return listed(run(entry, arguments, where));
           })
      // The text that tells a call from others; None if only Python can tell.
      .def("_statics",
           [](TracedObject& self, nb::handle args, nb::handle keywords) -> nb::object {
             const std::optional<CallParts> parts =
                 taken_apart(args.ptr(), keywords.ptr(), self.name(), self.fixed);
             return parts ? nb::cast(parts->statics) : nb::object(nb::none());
           })
      .def(
          "trace_log", [](const TracedObject& self) { return self.traces.log(); },
          "Why each trace was made, in order.")
      .def_prop_ro("trace_count",
                   [](const TracedObject& self) { return self.traces.trace_count(); });
}

}  // namespace weft::python
