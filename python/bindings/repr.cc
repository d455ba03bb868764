// repr(x), and the table that notebooks show.
#include "bindings/tensor_object.h"

namespace weft::python {

PyObject* tensor_repr(PyObject* self) {
  return guarded([&] { return to_python(to_string(tensor_of(self))); });
}

}  // namespace weft::python
