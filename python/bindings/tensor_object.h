// The Python type weft.Tensor: a raw heap type around one handle.
#pragma once

#include "bindings/python.h"
#include "weft/core/tensor.h"

namespace weft::python {

struct TensorObject {
  PyObject_HEAD Tensor value;
  PyObject* weak_references;
};

extern PyTypeObject* tensor_type;    // set once, when the module is made
extern PyTypeObject* variable_type;  // weft.Variable, a Tensor whose value is read at every use

void add_tensor_type(PyObject* module);

inline bool is_variable(PyObject* object) { return Py_TYPE(object) == variable_type; }
inline bool is_tensor(PyObject* object) {
  return Py_TYPE(object) == tensor_type || is_variable(object);
}
void read_variable(PyObject* object);  // sets its value to that of now
inline const Tensor& tensor_of(PyObject* object) {
  if (Py_TYPE(object) != tensor_type) [[unlikely]]
    read_variable(object);
  return reinterpret_cast<TensorObject*>(object)->value;
}

// What the object holds now, for as long as an op runs: a Variable may be assigned to meanwhile.
class Held {
 public:
  explicit Held(PyObject* object) {
    if (Py_TYPE(object) != tensor_type) [[unlikely]]
      own_ = tensor_of(object);
    tensor_ = own_.defined() ? &own_ : &reinterpret_cast<TensorObject*>(object)->value;
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  const Tensor& get() const { return *tensor_; }

 private:
  Tensor own_;
  const Tensor* tensor_;
};

// A new Python object that holds the tensor.
PyObject* wrap(Tensor tensor);
PyObject* wrap_all(Tensors&& tensors);  // a tuple

// The slots, a file each.
PyObject* tensor_repr(PyObject* self);
PyObject* tensor_item(PyObject* self, PyObject* unused);
PyObject* tensor_tolist(PyObject* self, PyObject* unused);
PyObject* tensor_getitem(PyObject* self, PyObject* key);
PyObject* tensor_getrow(PyObject* self, Py_ssize_t row);
int tensor_setitem(PyObject* self, PyObject* key, PyObject* value);
PyObject* tensor_compare(PyObject* a, PyObject* b, int operation);
int tensor_getbuffer(PyObject* self, Py_buffer* view, int flags);
void tensor_releasebuffer(PyObject* self, Py_buffer* view);
PyObject* tensor_getattro(PyObject* self, PyObject* name);
PyObject* tensor_dlpack(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names);
PyObject* tensor_dlpack_device(PyObject* self, PyObject* unused);
PyObject* tensor_int(PyObject* self);
PyObject* tensor_float(PyObject* self);
PyObject* tensor_index(PyObject* self);
PyObject* tensor_complex(PyObject* self, PyObject* unused);
int tensor_bool(PyObject* self);

const PyType_Slot* number_slots(size_t* count);  // in operators.cc
void find_operators();                           // looks the operators up in the registry

}  // namespace weft::python
