// States of objects, from Python and back.
#include "bindings/state.h"

#include <nanobind/stl/string.h>

#include "bindings/from_python.h"
#include "bindings/tensor_object.h"
#include "bindings/tree_level.h"
#include "bindings/value.h"
#include "bindings/variable_object.h"
#include "weft/base/error.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

SavedState integer_from(PyObject* object) {
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0) return value;
  return static_cast<uint64_t>(PyLong_AsUnsignedLongLong(object));  // others were made texts
}

SavedState dict_from(nb::handle object) {
  SavedState::Dict out;
  for (const auto& [key, value] : nb::borrow<nb::dict>(object)) {
    out.emplace_back(nb::cast<std::string>(key), state_from_python(value));
  }
  return SavedState::dict(std::move(out));
}

struct ToPython {
  nb::object operator()(std::monostate) const { return nb::none(); }
  nb::object operator()(bool value) const { return nb::bool_(value); }
  nb::object operator()(int64_t value) const { return nb::int_(value); }
  nb::object operator()(uint64_t value) const { return nb::int_(value); }
  nb::object operator()(double value) const { return nb::float_(value); }
  nb::object operator()(const std::string& value) const {
    return nb::str(value.data(), value.size());
  }
  nb::object operator()(const Tensor& value) const { return nb::steal(wrap(value)); }
  nb::object operator()(const SavedState::List& items) const {
    nb::list out;
    for (const SavedState& item : items) out.append(state_to_python(item));
    return out;
  }
  nb::object operator()(const SavedState::Dict& members) const {
    nb::dict out;
    for (const auto& [key, value] : members) {
      out[nb::str(key.data(), key.size())] = state_to_python(value);
    }
    return out;
  }
  nb::object operator()(const SavedState::Tagged& tagged) const {
    return nb::make_tuple(nb::str(tagged.tag.data(), tagged.tag.size()),
                          state_to_python(tagged.content.at(0)));
  }
};

}  // namespace

SavedState state_from_python(nb::handle object) {
  const TreeLevel level("CheckpointManager", "the state");
  PyObject* const o = object.ptr();
  if (o == Py_None) return {};
  if (PyBool_Check(o)) return o == Py_True;
  if (PyLong_Check(o)) return integer_from(o);
  if (PyFloat_Check(o)) return PyFloat_AS_DOUBLE(o);
  if (PyUnicode_Check(o)) return nb::cast<std::string>(object);
  if (is_variable(o)) return variable_of(o);
  if (is_tensor(o)) return value_of(tensor_of(o), "saving", "save it where it has a value");
  if (PyList_Check(o)) {
    SavedState::List out;
    for (nb::handle item : object) out.push_back(state_from_python(item));
    return SavedState(std::move(out));
  }
  if (PyDict_Check(o)) return dict_from(object);
  if (PyTuple_Check(o) && PyTuple_GET_SIZE(o) == 2) {
    return SavedState(
        SavedState::Tagged{nb::cast<std::string>(object[0]), {state_from_python(object[1])}});
  }
  fail(Code::kType, "CheckpointManager", "state", "cannot keep an object of type ",
       type_name_of(o));
}

nb::object state_to_python(const SavedState& state) {
  return std::visit(ToPython{}, state.value());
}

}  // namespace weft::python
