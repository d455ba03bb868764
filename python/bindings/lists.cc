// Flat lists of tensors.
#include "bindings/lists.h"

#include "bindings/from_python.h"
#include "bindings/tensor_object.h"

namespace nb = nanobind;

namespace weft::python {

Tensors tensors_from(nb::handle list, std::string_view who) {
  Tensors out;
  for (nb::handle item : list) {
    if (item.is_none()) {
      out.push_back(Tensor());
    } else if (is_tensor(item.ptr())) {
      out.push_back(tensor_of(item.ptr()));
    } else {
      out.push_back(new_tensor(item.ptr(), {}, {who, "argument"}));
    }
  }
  return out;
}

nb::object listed(Tensors tensors) { return nb::list(nb::steal(wrap_all(std::move(tensors)))); }

}  // namespace weft::python
