// Sessions, and runs that are looked at: plans and profiles.
#include "bindings/session.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/fitted.h"
#include "bindings/from_python.h"
#include "bindings/graph_object.h"
#include "bindings/lists.h"
#include "bindings/tensor_object.h"
#include "weft/op/builtin.h"
#include "weft/runtime/made_at.h"
#include "weft/runtime/plan.h"
#include "weft/runtime/session.h"
#include "weft/runtime/traced.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

// NumPy's float64 is a float of Python's, too, but an array of its dtype here.
bool is_list_or_number(PyObject* object) {
  const bool is_number = PyLong_Check(object) || PyFloat_Check(object) || PyComplex_Check(object);
  return PyList_Check(object) || PyTuple_Check(object) || (is_number && !is_numpy_object(object));
}

// What is fed for a value: a tensor as it is, anything else as a tensor of the value's dtype,
// unless that would take it to a lower kind. Numbers that the dtype does not hold raise.
Tensor fed(PyObject* object, const Tensor& place, const Graph& graph) {
  if (is_tensor(object)) return tensor_of(object);
  const Asker asker{"Session", "feed"};
  try {
    if (is_list_or_number(object)) return new_tensor(object, place.dtype(), asker);
    const Tensor given = new_tensor(object, {}, asker);
    const bool fits = kind_of(given.dtype()) <= kind_of(place.dtype());
    return fits ? fitted(given, place.dtype(), asker) : given;  // which the session refuses
  } catch (Error& error) {
    const ir::Node& maker = graph.staging().graph().node(graph.operation_of(place).id);
    throw note_made(error, maker.name, maker.where);
  }
}

struct Request {
  Tensors fetches;
  std::vector<Feed> feeds;
  std::vector<Operation> operations;

  Request(const Session& session, nb::handle wanted, nb::handle places, nb::handle values,
          const std::vector<ir::NodeId>& effects)
      : fetches(tensors_from(wanted, "Session")) {
    const EagerScope now;  // a feed is a value, also where a graph is open
    const Tensors to = tensors_from(places, "Session");
    for (size_t i = 0; i < to.size(); ++i) {
      feeds.push_back({to[i], fed(nb::object(values[i]).ptr(), to[i], session.graph())});
    }
    for (const ir::NodeId id : effects) operations.push_back({id});
  }
};

nb::list instructions_of(const Profile& profile) {
  nb::list out;
  for (const InstructionTime& one : profile.instructions) {
    out.append(nb::make_tuple(one.name, one.op,
                              one.where.known() ? to_string(one.where) : std::string(),
                              static_cast<double>(one.nanoseconds) * 1e-9));
  }
  return out;
}

void add_plans(nb::module_& m) {
  nb::class_<Profile>(m, "_Profile")
      .def("text", &Profile::text)
      .def("instructions", instructions_of)
      .def("chrome_trace", [](const Profile& self) { return chrome_trace(self); });
  nb::class_<Planned>(m, "_Plan")
      .def("text", &Planned::text)
      .def("draw", &Planned::draw)
      .def("live_bytes", [](const Planned& self) { return live_bytes(self.plan()); })
      .def("arena_bytes", [](const Planned& self) { return self.plan().arena.bytes; })
      .def("profile", [](const Planned& self, int64_t rounds) {
        const nb::gil_scoped_release release;
        return self.profile(rounds);
      });
  // The plan of a trace for these arguments, and the Variables as they are.
  m.def("_plan_of_trace", [](const TraceEntry& entry, nb::handle arguments) {
    const NoGrad off;
    const std::string& name = entry.trace.function->name;
    Tensors in = tensors_from(arguments, name);
    if (in.size() != entry.parameters) {
      fail(Code::kInvalid, name, "arguments", "the plan of a call that takes ", entry.parameters,
           " tensors was asked for with ", in.size(), "; give the arguments of such a call");
    }
    for (const Tensor& t : entry.trace.captured_values()) in.push_back(t);
    return Planned(entry.trace.function, std::move(in));
  });
}

}  // namespace

void add_sessions(nb::module_& m) {
  add_plans(m);
  nb::class_<Session>(m, "_Session")
      .def("__init__", [](Session* self, GraphObject& graph) { new (self) Session(graph.graph); })
      .def("run",
           [](const Session& self, nb::handle fetches, nb::handle places, nb::handle values,
              const std::vector<ir::NodeId>& effects) {
             const Request asked(self, fetches, places, values, effects);
             Tensors out;
             {
               const nb::gil_scoped_release release;
               out = self.run(asked.fetches, asked.feeds, asked.operations);
             }
             return listed(std::move(out));
           })
      .def("plan",
           [](const Session& self, nb::handle fetches, nb::handle places, nb::handle values,
              const std::vector<ir::NodeId>& effects) {
             const Request asked(self, fetches, places, values, effects);
             return self.plan(asked.fetches, asked.feeds, asked.operations);
           })
      .def("close", &Session::close)
      .def("counters", [](const Session& self) {
        const SessionCounters counters = self.counters();
        return nb::make_tuple(counters.runs, counters.compiled, counters.ops);
      });
}

}  // namespace weft::python
