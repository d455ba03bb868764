// Savers of graphs.
#include "weft/io/saver/saver.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/graph_object.h"
#include "bindings/line.h"
#include "bindings/saving.h"
#include "bindings/variable_object.h"

namespace nb = nanobind;

namespace weft::python {

void add_savers(nb::module_& m) {
  nb::class_<Saver>(m, "_Saver")
      .def(
          "__init__",
          [](Saver* self, GraphObject& graph, nb::dict variables, std::optional<int64_t> most) {
            std::vector<std::pair<std::string, Variable>> named;
            for (const auto& [name, variable] : variables) {
              named.emplace_back(nb::cast<std::string>(name), variable_of(variable.ptr()));
            }
            new (self) Saver(graph.graph, std::move(named), SaverOptions{.max_to_keep = most},
                             python_line());
          },
          nb::arg("graph"), nb::arg("variables"), nb::arg("max_to_keep").none())
      .def(
          "save",
          [](const Saver& self, const Session& session, const std::string& path,
             std::optional<int64_t> step) {
            const nb::gil_scoped_release release;
            return self.save(session, path, step);
          },
          nb::arg("session"), nb::arg("path"), nb::arg("step").none())
      .def("restore",
           [](const Saver& self, const Session& session, const std::string& path) {
             const nb::gil_scoped_release release;
             self.restore(session, path);
           })
      .def("last_checkpoints", [](const Saver& self) { return self.last_checkpoints(); })
      .def("operations", [](const Saver& self) {
        return nb::make_tuple(self.save_operation().id, self.restore_operation().id);
      });
  m.def("_latest_checkpoint", [](const std::string& folder) { return latest_checkpoint(folder); });
}

}  // namespace weft::python
