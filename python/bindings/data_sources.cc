// Sources in files, and iterators in graphs, for Python.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/data.h"
#include "bindings/data_elements.h"
#include "bindings/from_python.h"
#include "bindings/graph_object.h"
#include "bindings/kept.h"
#include "bindings/line.h"
#include "bindings/tensor_object.h"
#include "bindings/value.h"
#include "weft/base/interrupt_poll.h"
#include "weft/base/run_apart.h"
#include "weft/data/graph_iterator.h"
#include "weft/data/sources.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

using data::Dataset, data::GraphIterator;

// A uint8 tensor, or anything with bytes.
Tensor bytes_tensor(nb::handle object, Asker asker) {
  if (is_tensor(object.ptr())) return argument_value(object.ptr(), asker);
  if (PyBytes_Check(object.ptr())) {
    const auto size = static_cast<size_t>(PyBytes_GET_SIZE(object.ptr()));
    return Tensor::from_bytes(DType::kU8, Shape{static_cast<int64_t>(size)},
                              std::as_bytes(std::span(PyBytes_AS_STRING(object.ptr()), size)));
  }
  if (PyUnicode_Check(object.ptr())) {  // a text of a record, whatever its bytes are
    const nb::object bytes =
        nb::steal(PyUnicode_AsEncodedString(object.ptr(), "utf-8", "surrogateescape"));
    if (!bytes.is_valid()) throw nb::python_error();
    return bytes_tensor(bytes, asker);
  }
  return new_tensor(object.ptr(), {}, asker);
}

std::vector<data::Feature> features_from(nb::handle list) {
  std::vector<data::Feature> out;
  for (nb::handle item : nb::list(list)) {  // (name, shape or None, otherwise or None)
    const nb::tuple three = nb::cast<nb::tuple>(item);
    data::Feature feature{nb::cast<std::string>(three[0])};
    if (!nb::handle(three[1]).is_none()) {
      Shape shape;
      for (const int64_t extent :
           ints_from(nb::handle(three[1]).ptr(), {"parse_example", "features"})) {
        shape.push_back(extent);
      }
      feature.shape = shape;
    }
    if (!nb::handle(three[2]).is_none()) {
      feature.otherwise = argument_value(nb::handle(three[2]).ptr(), {"parse_example", "features"});
    }
    out.push_back(std::move(feature));
  }
  return out;
}

// The image libraries do not poll for Ctrl-C, so large images are processed on a thread that can be
// abandoned.
template <class Result, class Compute>
Result computed_apart(Compute compute, const Tensor& of) {
  constexpr int64_t kLarge = 1 << 20;
  if (!is_interruptible() || of.numel() < kLarge) return compute();
  const auto result = std::make_shared<Result>();
  run_apart([result, compute] { *result = compute(); });
  return std::move(*result);
}

void add_files(nb::module_& m) {
  m.def("_data_text_lines", [](data::Paths paths) { return data::text_lines(std::move(paths)); });
  m.def("_data_csv", [](data::Paths paths, const std::string& delimiter, bool header,
                        std::vector<std::string> names, std::vector<std::string> types) {
    if (delimiter.size() != 1) {
      fail(Code::kInvalid, "csv", "delimiter", "delimiter is '", delimiter,
           "'; it is one character");
    }
    return data::csv(std::move(paths), {delimiter[0], header, std::move(names), std::move(types)});
  });
  m.def("_data_idx", [](data::Paths paths) { return data::idx(std::move(paths)); });
  m.def("_data_read_idx",
        [](const std::string& path) { return nb::steal(wrap(data::read_idx(path))); });
  m.def("_data_npy", [](data::Paths paths) { return data::npy(std::move(paths)); });
  m.def("_data_npz", [](const std::string& path, std::vector<std::string> names) {
    const nb::gil_scoped_release release;
    return data::npz(path, std::move(names));
  });
  m.def("_data_tfrecord", [](data::Paths paths) { return data::tfrecord(std::move(paths)); });
  m.def("_data_parse_example", [](nb::handle record, nb::handle features) {
    return element_to_python(data::parse_example(bytes_tensor(record, {"parse_example", "record"}),
                                                 features_from(features)));
  });
  m.def("_data_map_examples", [](const Dataset& records, nb::handle features) {
    return records.map(
        [wanted = features_from(features)](const data::Element& record) {
          data::Element out = data::parse_example(record[0], wanted);
          out.origin = record.origin;
          return out;
        },
        {.name = "parse_example"});
  });
  m.def("_data_decode_image", [](nb::handle image, int64_t channels) {
    const Tensor bytes = bytes_tensor(image, {"decode_image", "image"});
    if (bytes.dtype() != DType::kU8 || bytes.rank() != 1 || !bytes.is_contiguous()) {
      fail(Code::kType, "decode_image", "image", "the image is ", bytes.type(),
           "; it is the bytes of a PNG or JPEG file");
    }
    Tensor out;
    {
      const nb::gil_scoped_release release;
      out = computed_apart<Tensor>(
          [bytes, channels] {
            return data::decode_image(
                {static_cast<const char*>(bytes.data()), static_cast<size_t>(bytes.numel())},
                channels);
          },
          bytes);
    }
    return nb::steal(wrap(std::move(out)));
  });
  m.def("_data_encode_png", [](nb::handle given) {
    const Tensor pixels = bytes_tensor(given, {"encode_png", "pixels"});
    std::string out;
    {
      const nb::gil_scoped_release release;
      out = computed_apart<std::string>([pixels] { return data::encode_png(pixels); }, pixels);
    }
    return nb::bytes(out.data(), out.size());
  });
  m.def("_data_write_png", [](const std::string& path, nb::handle given) {
    const Tensor pixels = bytes_tensor(given, {"write_png", "pixels"});
    const nb::gil_scoped_release release;
    data::write_png(path, pixels);
  });
  m.def("_data_image_folder", [](const std::string& folder, int64_t channels, int workers) {
    return data::image_folder(folder, {channels, workers});
  });
  m.def("_data_class_names", [](const std::string& folder) { return data::class_names(folder); });
  m.def("_data_load",
        [](const std::string& name, const std::string& folder, const std::string& split) {
          const nb::gil_scoped_release release;
          return data::load_dataset(name, {folder, split});
        });
}

// Of dtypes and shapes per leaf, None for sizes that vary; `like` is a tree of that form.
data::Spec spec_from(nb::handle like, nb::handle dtypes, nb::handle shapes) {
  data::Spec out{element_from_python(like, "Iterator").form, {}};
  const nb::list types(dtypes), sizes(shapes);
  for (size_t k = 0; k < types.size(); ++k) {
    data::LeafSpec leaf{false, dtype_from(nb::handle(types[k]).ptr(), {"Iterator", "types"}), {}};
    for (nb::handle size : nb::list(sizes[k])) {
      leaf.shape.push_back(size.is_none() ? data::varying()
                                          : Dim(int_from(size.ptr(), {"Iterator", "shapes"})));
    }
    out.leaves.push_back(std::move(leaf));
  }
  return out;
}

// A dataset that keeps its Python object alive: a graph may outlive Python's reference to it.
Dataset held_by_graph(nb::object dataset) {
  const Dataset& found = nb::cast<const Dataset&>(dataset);
  return found.keeping(kept(std::move(dataset)));
}

void add_graph_iterator(nb::module_& m) {
  nb::class_<GraphIterator>(m, "_GraphIterator")
      .def_static("from_structure",
                  [](nb::handle like, nb::handle dtypes, nb::handle shapes, std::string name) {
                    return GraphIterator::from_structure(spec_from(like, dtypes, shapes),
                                                         std::move(name));
                  })
      .def_static("one_shot",
                  [](nb::object dataset, std::string name) {
                    const Dataset held = held_by_graph(std::move(dataset));
                    const nb::gil_scoped_release release;
                    return GraphIterator::one_shot(held, std::move(name));
                  })
      .def_static("initializable",
                  [](nb::object dataset, std::string name) {
                    const Dataset held = held_by_graph(std::move(dataset));
                    const nb::gil_scoped_release release;
                    return GraphIterator::initializable(held, std::move(name));
                  })
      .def(
          "get_next",
          [](const GraphIterator& self) { return element_to_python(self.get_next(python_line())); })
      .def("make_initializer",
           [](const GraphIterator& self, GraphObject& graph, nb::object dataset) {
             const Where where = python_line();
             const Dataset held = held_by_graph(std::move(dataset));
             const nb::gil_scoped_release release;
             return self.make_initializer(graph.graph, held, where).id;
           })
      .def("initializer",
           [](const GraphIterator& self, GraphObject& graph) {
             const Where where = python_line();
             const nb::gil_scoped_release release;
             return self.initializer(graph.graph, where).id;
           })
      .def("state_dict",
           [](const GraphIterator& self) {
             data::State out;
             {
               const nb::gil_scoped_release release;
               out = self.state_dict();
             }
             return state_to_python(out);
           })
      .def("load_state_dict", [](const GraphIterator& self, nb::dict state) {
        const data::State from = state_from_python(state);
        const nb::gil_scoped_release release;
        self.load_state_dict(from);
      });
}

}  // namespace

void add_data_sources(nb::module_& m) {
  add_files(m);
  add_graph_iterator(m);
}

}  // namespace weft::python
