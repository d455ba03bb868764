// Graphs and sessions.
#include "bindings/graph.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bindings/from_python.h"
#include "bindings/graph_views.h"
#include "bindings/line.h"
#include "bindings/lists.h"
#include "bindings/tensor_object.h"
#include "bindings/variable_object.h"
#include "weft/base/error.h"
#include "weft/control/ops.h"
#include "weft/ir/print.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/op/registry.h"
#include "weft/runtime/session.h"
#include "weft/state/state.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

nb::object stolen(Tensor tensor) { return nb::steal(wrap(std::move(tensor))); }

// `with graph:`, which may be entered several times.
struct GraphObject {
  Graph graph;
  std::vector<std::unique_ptr<Graph::Scope>> scopes;

  GraphObject() = default;
  GraphObject(const GraphObject&) = delete;
  GraphObject& operator=(const GraphObject&) = delete;

  void enter() { scopes.push_back(std::make_unique<Graph::Scope>(graph)); }
  void exit() {
    if (scopes.empty()) {
      fail(Code::kInvalid, "Graph", "with", "ends before it has begun; write `with wf.Graph():`");
    }
    scopes.pop_back();
  }
  Staging& staging() { return graph.staging(); }
};

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
      .def("function_text", [](GraphObject& self, const std::string& what,
                               int depth) { return shown(*self.graph.function(), what, depth); })
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
            self.staging().after = ir::NodeIds(after.begin(), after.end());
          })
      .def("no_op",
           [](GraphObject& self) {
             const Graph::Scope scope(self.graph);
             apply_prepared(kNoOp, {}, &kNoAttrs, python_line());
             return self.staging().graph().nodes().size() - 1;
           })
      .def("identity",
           [](GraphObject& self, nb::handle x) {
             const Graph::Scope scope(self.graph);
             return stolen(apply_prepared(kIdentity, inputs(tensor_in(x.ptr(), {"identity", "x"})),
                                          &kNoAttrs, python_line())[0]);
           })
      .def("assign", [](GraphObject& self, nb::handle variable, nb::handle value) {
        const Graph::Scope scope(self.graph);
        variable_of(variable.ptr())
            .assign(tensor_from(value.ptr(), {"assign", "value"}), python_line());
        const ir::Graph& graph = self.staging().graph();
        return stolen(self.staging().tensor_of(graph.nodes().back().outputs[0]));
      });
  m.def("_graph_gradients", [](nb::handle ys, nb::handle xs, nb::handle grad_ys, bool zero) {
    return listed(gradients(tensors_from(ys, "gradients"), tensors_from(xs, "gradients"),
                            tensors_from(grad_ys, "gradients"), zero, python_line()));
  });
  m.def("_parse_graph", [](const std::string& text) {
    register_control_ops();
    const ir::Document document = ir::parse(text);
    return ir::to_text(*document.main());
  });
}

void add_session_type(nb::module_& m) {
  nb::class_<Session>(m, "_Session")
      .def("__init__", [](Session* self, GraphObject& graph) { new (self) Session(graph.graph); })
      .def("run",
           [](const Session& self, nb::handle fetches, nb::handle feed_values, nb::handle feeds,
              const std::vector<ir::NodeId>& effects) {
             const Tensors wanted = tensors_from(fetches, "Session");
             const Tensors places = tensors_from(feed_values, "Session");
             const Tensors given = tensors_from(feeds, "Session");
             std::vector<Feed> pairs;
             for (size_t i = 0; i < places.size(); ++i) pairs.push_back({places[i], given[i]});
             Tensors out;
             {
               const nb::gil_scoped_release release;
               out = self.run(wanted, pairs, effects);
             }
             return listed(std::move(out));
           })
      .def("close", &Session::close)
      .def("counters", [](const Session& self) {
        const SessionCounters counters = self.counters();
        return nb::make_tuple(counters.runs, counters.compiled, counters.ops);
      });
}

}  // namespace

void add_graphs(nb::module_& m) {
  add_graph_type(m);
  add_session_type(m);
  add_traced(m);
  m.def("_size", [](nb::handle x, size_t axis) {
    return stolen(cast(size_value(tensor_in(x.ptr(), {"size", "x"}).shape()[axis], python_line()),
                       DType::kI64, python_line()));
  });
  m.def("_assert", [](nb::handle condition, const std::string& message) {
    assert_true(tensor_from(condition.ptr(), {"assert", "condition"}), message, python_line());
  });
  m.def("_print", [](const std::string& pattern, nb::handle values) {
    print_values(pattern, tensors_from(values, "print"), python_line());
  });
  set_print_text([](const std::string& text) {
    const nb::gil_scoped_acquire gil;
    nb::module_::import_("sys").attr("stdout").attr("write")(text);
  });
  m.def("_is_traced", [](nb::handle x) {
    if (!is_tensor(x.ptr())) return false;
    const Tensor& t = tensor_of(x.ptr());
    for (const Level* level : open_levels()) {
      if (level->stages() && t.level() >= level->id) return true;
    }
    return staging_of(t) != nullptr;
  });
}

}  // namespace weft::python
