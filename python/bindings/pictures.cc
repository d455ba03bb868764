// Curves, confusion matrices, images and memory by time, drawn by weft/train.
#include "bindings/pictures.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/from_python.h"
#include "bindings/value.h"
#include "weft/train/picture/pictures.h"

namespace nb = nanobind;

namespace weft::python {

void add_pictures(nb::module_& m) {
  m.def("_draw_curves", [](const std::string& path, const std::vector<double>& epochs,
                           const train::Curves& values) {
    const nb::gil_scoped_release release;
    train::draw_curves(path, epochs, values);
  });
  m.def("_draw_confusion",
        [](const std::string& path, nb::handle matrix, const std::vector<std::string>& labels) {
          const Tensor counts =
              value_of(tensor_in(matrix.ptr(), {"draw_confusion", "matrix"}), "draw_confusion");
          const nb::gil_scoped_release release;
          train::draw_confusion(path, counts, labels);
        });
  m.def(
      "_draw_images",
      [](const std::string& path, nb::handle images, const std::vector<std::string>& captions,
         int64_t columns, const std::optional<std::vector<bool>>& wrong) {
        const Tensor all =
            value_of(tensor_in(images.ptr(), {"draw_images", "images"}), "draw_images");
        const nb::gil_scoped_release release;
        train::draw_images(path, all, {captions, columns, wrong});
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  m.def("_draw_memory",
        [](const std::string& path, const std::vector<std::pair<double, double>>& moments,
           const std::vector<double>& marks, double seconds) {
          train::MemoryByTime memory{{}, marks, seconds};
          for (const auto& [when, bytes] : moments) memory.moments.push_back({when, bytes});
          const nb::gil_scoped_release release;
          train::draw_memory(path, memory);
        });
}

}  // namespace weft::python
