// Graphs.
#include "bindings/graph.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bindings/from_python.h"
#include "bindings/gil.h"
#include "bindings/graph_object.h"
#include "bindings/graph_views.h"
#include "bindings/line.h"
#include "bindings/lists.h"
#include "bindings/session.h"
#include "bindings/tensor_object.h"
#include "bindings/variable_object.h"
#include "weft/base/error.h"
#include "weft/compile/passes.h"
#include "weft/ir/print.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/op/registry.h"
#include "weft/runtime/traced.h"
#include "weft/state/state.h"
#include "weft/trace/expect.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

nb::object stolen(Tensor tensor) { return nb::steal(wrap(std::move(tensor))); }

// `with eager():` begins and ends on one thread, the last begun first.
class EagerObject {
 public:
  EagerObject() = default;
  EagerObject(const EagerObject&) = delete;
  EagerObject& operator=(const EagerObject&) = delete;
  void enter() { scopes_.push_back(std::make_unique<EagerScope>()); }
  void exit() {
    if (scopes_.empty()) {
      fail(Code::kInvalid, "eager", "with", "ends before it has begun; write `with wf.eager():`");
    }
    scopes_.pop_back();
  }

 private:
  std::vector<std::unique_ptr<EagerScope>> scopes_;
};

// `with name_scope(name):` and `with device(name):`, in the graph or the trace that is open; where
// none is, nothing.
class StagedNameObject {
 public:
  explicit StagedNameObject(bool is_device) : is_device_(is_device) {}
  void enter(const std::string& name) {
    Staging* const open = innermost_staging();
    Entered& entered = entered_.emplace_back();
    if (open == nullptr) return;
    entered = {open->shared(), now(*open)};
    now(*open) = is_device_ ? name : text(entered.outer, name, '/');
  }
  void exit() {
    if (entered_.empty()) return;
    if (entered_.back().staging != nullptr) {
      now(*entered_.back().staging) = entered_.back().outer;
    }
    entered_.pop_back();
  }

 private:
  struct Entered {
    Shared<Staging> staging;
    std::string outer;
  };
  std::string& now(Staging& staging) const { return is_device_ ? staging.device : staging.scope; }

  const bool is_device_;
  std::vector<Entered> entered_;
};

nb::list variables_to_python(const std::vector<Variable>& variables) {
  nb::list out;
  for (const Variable& one : variables) out.append(nb::steal(wrap_variable(one)));
  return out;
}

std::vector<Operation> operations_from(const std::vector<ir::NodeId>& ids) {
  std::vector<Operation> out;
  for (const ir::NodeId id : ids) out.push_back({id});
  return out;
}

void add_graph_type(nb::module_& m) {
  nb::class_<GraphObject>(m, "_Graph")
      .def(nb::init<>())
      .def("enter", &GraphObject::enter)
      .def("exit", &GraphObject::exit)
      .def("text", [](GraphObject& self) { return self.graph.text(); })
      .def("placeholder",
           [](GraphObject& self, nb::handle dtype, nb::handle shape, const std::string& name) {
             return stolen(self.graph.placeholder(dtype_from(dtype.ptr(), {"placeholder", "dtype"}),
                                                  shape_from(shape), name, python_line()));
           })
      .def("nodes",
           [](GraphObject& self) {
             nb::list out;
             const ir::Graph& graph = self.staging().graph();
             for (const ir::Node& node : graph.nodes()) out.append(node_info(graph, node));
             return out;
           })
      .def("function_text",
           [](GraphObject& self, const std::string& what, nb::dict options) {
             return shown(*self.graph.function(), what, options);
           })
      .def("graph_def",
           [](GraphObject& self, bool variables_as_constants) {
             return graph_def_to_python(
                 io::graph_def(self.staging().graph(), {variables_as_constants}));
           })
      .def("node_count", [](GraphObject& self) { return self.staging().graph().nodes().size(); })
      .def("node_named",
           [](GraphObject& self, const std::string& name) -> nb::object {
             const ir::NodeId id = self.staging().graph().find_node(name);
             return id == ir::kNone ? nb::object(nb::none()) : nb::cast(id);
           })
      .def("value_named",
           [](GraphObject& self, const std::string& name) -> nb::object {
             const ir::ValueId id = self.staging().graph().find_value(name);
             return id == ir::kNone ? nb::object(nb::none()) : stolen(self.staging().tensor_of(id));
           })
      .def("name_of",
           [](GraphObject& self, nb::handle x) -> nb::object {
             const ir::ValueId id =
                 staged_value(tensor_in(x.ptr(), {"Graph", "x"}), self.staging());
             return id == ir::kNone ? nb::object(nb::none())
                                    : nb::cast(self.staging().graph().name_of(id));
           })
      .def("maker_of",
           [](GraphObject& self, nb::handle x) -> nb::object {
             const ir::ValueId id =
                 staged_value(tensor_in(x.ptr(), {"Graph", "x"}), self.staging());
             return id == ir::kNone ? nb::object(nb::none())
                                    : nb::cast(self.staging().graph().value(id).maker);
           })
      .def_prop_rw(
          "scope", [](GraphObject& self) { return self.staging().scope; },
          [](GraphObject& self, const std::string& scope) { self.staging().scope = scope; })
      .def_prop_rw(
          "device", [](GraphObject& self) { return self.staging().device; },
          [](GraphObject& self, const std::string& device) { self.staging().device = device; })
      .def_prop_rw(
          "after",
          [](GraphObject& self) {
            return std::vector<ir::NodeId>(self.staging().after.begin(),
                                           self.staging().after.end());
          },
          [](GraphObject& self, const std::vector<ir::NodeId>& after) {
            self.staging().after = self.staging().with_writes(after);
          })
      .def("group",
           [](GraphObject& self, const std::vector<ir::NodeId>& ids, const std::string& name) {
             return self.graph.group(operations_from(ids), name, python_line()).id;
           })
      .def("initializer",
           [](GraphObject& self) { return self.graph.initializer(python_line()).id; })
      .def("global_variables",
           [](GraphObject& self) { return variables_to_python(self.graph.global_variables()); })
      .def("trainable_variables",
           [](GraphObject& self) { return variables_to_python(self.graph.trainable_variables()); })
      // A value, a Variable, or the number of an operation.
      .def("add_to_collection",
           [](GraphObject& self, const std::string& name, nb::handle item) {
             if (is_variable(item.ptr())) {
               self.graph.add_to_collection(name, variable_of(item.ptr()));
             } else if (is_tensor(item.ptr())) {
               self.graph.add_to_collection(name, tensor_of(item.ptr()));
             } else {
               self.graph.add_to_collection(name, Operation{nb::cast<ir::NodeId>(item)});
             }
           })
      // Values, Variables, and the numbers of operations.
      .def("members",
           [](GraphObject& self, const std::string& name) {
             nb::list out;
             for (const ir::Listed& one : self.graph.members(name)) {
               if (one.value != ir::kNone) {
                 out.append(stolen(self.staging().tensor_of(one.value)));
               } else if (one.node != ir::kNone) {
                 out.append(one.node);
               } else {
                 out.append(nb::steal(wrap_variable(one.variable)));
               }
             }
             return out;
           })
      .def("optimized",
           [](GraphObject& self, nb::handle fetches, const std::string& dump) {
             return std::make_unique<GraphObject>(
                 self.graph.optimized(tensors_from(fetches, "optimize"), dump));
           })
      .def("identity", [](GraphObject& self, nb::handle x, const std::string& name) {
        return stolen(
            self.graph.identity(tensor_in(x.ptr(), {"identity", "x"}), name, python_line()));
      });
  m.def("_graph_gradients", [](nb::handle ys, nb::handle xs, nb::handle grad_ys, bool zero) {
    const Tensors targets = tensors_from(ys, "gradients");
    // Variables among the xs are read where the ys are.
    Staging* const staging = targets.empty() ? nullptr : staging_of(targets[0]);
    std::optional<StagingScope> scope;
    if (staging != nullptr) scope.emplace(*staging);
    return listed(gradients(targets, tensors_from(xs, "gradients"),
                            tensors_from(grad_ys, "gradients"), zero, python_line()));
  });
  m.def("_parse_graph", [](const std::string& text, nb::dict variables) {
    std::map<std::string, Variable, std::less<>> given;
    for (const auto& [name, variable] : variables) {
      given.emplace(nb::cast<std::string>(name), variable_of(variable.ptr()));
    }
    return std::make_unique<GraphObject>(Graph::parse(text, std::move(given)));
  });
  m.def("_optimized_trace", [](const TraceEntry& entry, const std::string& dump) {
    return std::make_unique<GraphObject>(
        Graph::from(*compile::optimize(*entry.trace.function, {.dump = dump})));
  });
  nb::class_<StagedNameObject>(m, "_StagedName")
      .def(nb::init<bool>())
      .def("enter", &StagedNameObject::enter)
      .def("exit", &StagedNameObject::exit);
  m.def("_stages", [] { return innermost_staging() != nullptr; });
  nb::class_<EagerObject>(m, "_Eager")
      .def(nb::init<>())
      .def("enter", &EagerObject::enter)
      .def("exit", &EagerObject::exit);
  m.def("_expect", [](nb::handle x, const std::string& sizes) {
    return stolen(expect(tensor_in(x.ptr(), {"expect", "x"}), sizes, python_line()));
  });
}

}  // namespace

void add_graphs(nb::module_& m) {
  add_graph_type(m);
  add_sessions(m);
  add_traced(m);
  m.def("_size", [](nb::handle x, size_t axis) {
    return stolen(cast(size_value(tensor_in(x.ptr(), {"size", "x"}).shape()[axis], python_line()),
                       DType::kI64, python_line()));
  });
  m.def("_assert", [](nb::handle condition, const std::string& message, nb::handle values) {
    assert_true(tensor_from(condition.ptr(), {"assert", "condition"}), message,
                tensors_from(values, "assert"), python_line());
  });
  m.def("_print", [](const std::string& pattern, nb::handle values) {
    print_values(pattern, tensors_from(values, "print"), python_line());
  });
  set_print_text([](const std::string& text) {
    const WithGil gil;
    nb::module_::import_("sys").attr("stdout").attr("write")(text);
  });
  m.def("_data_type", [](nb::handle x) {
    return static_cast<int>(io::data_type(tensor_in(x.ptr(), {"GraphDef", "x"}).dtype()));
  });
  m.def("_is_graph_value", [](nb::handle x) {
    const Staging* const graph = is_tensor(x.ptr()) ? staging_of(tensor_of(x.ptr())) : nullptr;
    return graph != nullptr && graph->kind() == Staging::Kind::kGraph;
  });
  m.def("_is_traced", [](nb::handle x) {
    if (!is_tensor(x.ptr())) return false;
    const Tensor& t = tensor_of(x.ptr());
    if (staging_of(t) != nullptr) return true;
    if (innermost_staging() == nullptr) return false;
    for (const Level* level : open_levels()) {
      if (level->stages() && t.level() >= level->id) return true;
    }
    return false;
  });
}

}  // namespace weft::python
