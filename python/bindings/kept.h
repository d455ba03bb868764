// A Python object that C++ code holds for as long as it needs it.
#pragma once

#include <nanobind/nanobind.h>

#include "bindings/gil.h"
#include "weft/base/shared.h"

namespace weft::python {

// Released with the GIL, which a long op has given up.
inline Shared<void> kept(nanobind::object object) {
  return {object.release().ptr(), [](void* held) {
            const WithGil gil;
            Py_DECREF(static_cast<PyObject*>(held));
          }};
}
inline nanobind::handle object_in(const Shared<void>& held) {
  return static_cast<PyObject*>(held.get());
}

}  // namespace weft::python
