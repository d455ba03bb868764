// Files of tensors, and checkpoints.
#include "bindings/saving.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/lists.h"
#include "bindings/state.h"
#include "bindings/tensor_object.h"
#include "bindings/value.h"
#include "weft/io/checkpoint/manager.h"
#include "weft/io/save.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

io::NamedTensors named_from(nb::dict tensors) {
  io::NamedTensors out;
  for (const auto& [name, value] : tensors) {
    out.push_back(
        {nb::cast<std::string>(name), value_of(tensor_in(value.ptr(), {"save", "a value"}), "save",
                                               "save it where it has a value")});
  }
  return out;
}

io::Metadata texts_from(nb::dict texts) {
  io::Metadata out;
  for (const auto& [key, value] : texts) {
    out.emplace(nb::cast<std::string>(key), nb::cast<std::string>(value));
  }
  return out;
}

void add_files(nb::module_& m) {
  m.def("_save", [](const std::string& path, nb::dict tensors, nb::dict metadata, bool compressed) {
    const io::NamedTensors named = named_from(tensors);
    const SaveOptions options{texts_from(metadata), compressed};
    const nb::gil_scoped_release release;
    save_in_order(path, named, options);
  });
  m.def("_load", [](const std::string& path, std::optional<std::vector<std::string>> names) {
    io::NamedTensors loaded;
    {
      const nb::gil_scoped_release release;
      loaded = names ? load_in_order(path, *names) : load_in_order(path);
    }
    nb::list out;
    for (io::NamedTensor& one : loaded) {
      out.append(nb::make_tuple(nb::str(one.name.data(), one.name.size()),
                                nb::steal(wrap(std::move(one.value)))));
    }
    return out;
  });
  m.def("_load_metadata", [](const std::string& path) {
    nb::dict out;
    for (const auto& [key, value] : load_metadata(path)) {
      out[nb::str(key.data(), key.size())] = nb::str(value.data(), value.size());
    }
    return out;
  });
}

// (step, {object: state}, (seed, draws), {metric: value})
nb::object to_python(const io::Checkpoint& checkpoint) {
  nb::dict metrics;
  for (const auto& [name, value] : checkpoint.metrics) {
    metrics[nb::str(name.data(), name.size())] = value;
  }
  return nb::make_tuple(checkpoint.step, state_to_python(SavedState::dict(checkpoint.objects)),
                        nb::make_tuple(checkpoint.generator.seed, checkpoint.generator.draws),
                        metrics);
}

// Its end waits for a save under way, whose tensors may let go of memory of Python's.
struct HeldFolder {
  std::optional<io::CheckpointFolder> folder;

  HeldFolder(const std::string& path, CheckpointOptions options) {
    folder.emplace(path, std::move(options));
  }
  ~HeldFolder() {
    const nb::gil_scoped_release release;
    folder.reset();
  }
  HeldFolder(const HeldFolder&) = delete;
  HeldFolder& operator=(const HeldFolder&) = delete;
};

void add_checkpoints(nb::module_& m) {
  nb::class_<HeldFolder>(m, "_CheckpointFolder")
      .def(
          "__init__",
          [](HeldFolder* self, const std::string& folder, std::optional<int64_t> most,
             const std::optional<std::string>& metric, const std::string& mode, bool asynchronous) {
            CheckpointOptions options{.max_to_keep = most, .asynchronous = asynchronous};
            if (metric) options.best = Best{*metric, mode};
            new (self) HeldFolder(folder, std::move(options));
          },
          nb::arg("folder"), nb::arg("max_to_keep").none(), nb::arg("metric").none(),
          nb::arg("mode"), nb::arg("asynchronous"))
      .def("save",
           [](HeldFolder& self, int64_t step, nb::dict metrics, nb::dict objects) {
             io::Checkpoint checkpoint{
                 step, {}, random::generator_state(), state_from_python(objects).members()};
             for (const auto& [name, value] : metrics) {
               checkpoint.metrics.emplace(nb::cast<std::string>(name), nb::cast<double>(value));
             }
             const nb::gil_scoped_release release;
             self.folder->save(std::move(checkpoint));
           })
      .def("wait",
           [](HeldFolder& self) {
             const nb::gil_scoped_release release;
             self.folder->wait();
           })
      .def("load",
           [](const HeldFolder& self, int64_t step) {
             std::optional<io::Checkpoint> loaded;
             {
               const nb::gil_scoped_release release;
               loaded = self.folder->load(step);
             }
             return to_python(*loaded);
           })
      .def("load_latest",
           [](const HeldFolder& self, bool skip_corrupt) -> nb::object {
             std::optional<io::Checkpoint> loaded;
             {
               const nb::gil_scoped_release release;
               loaded = self.folder->load_latest(skip_corrupt);
             }
             return loaded ? to_python(*loaded) : nb::none();
           })
      .def("steps", [](const HeldFolder& self) { return self.folder->steps(); })
      .def("latest_step",
           [](const HeldFolder& self) -> std::optional<int64_t> {
             const auto saved = self.folder->saved();
             return saved.empty() ? std::nullopt : std::optional(saved.back().step);
           })
      .def("best_step", [](const HeldFolder& self) { return self.folder->best_step(); });
  // The values of now: what Variables in it hold later does not change it.
  m.def("_snapshot", [](nb::handle state) { return state_to_python(state_from_python(state)); });
  m.def("_require_same_objects",
        [](const std::vector<std::string>& saved, const std::vector<std::string>& kept,
           int64_t step) { io::require_same_objects(saved, kept, step); });
}

}  // namespace

void add_saving(nb::module_& m) {
  add_files(m);
  add_checkpoints(m);
}

}  // namespace weft::python
