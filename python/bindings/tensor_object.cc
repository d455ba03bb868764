// The type weft.Tensor: its life, its properties, its table of slots.
#include "bindings/tensor_object.h"
#include "bindings/dim_object.h"

#include <structmember.h>
#include <algorithm>

#include <vector>

#include "bindings/dtype_object.h"
#include "bindings/errors.h"
#include "bindings/from_python.h"
#include "bindings/op_function.h"
#include "bindings/size_object.h"
#include "weft/base/error.h"

namespace weft::python {

PyTypeObject* tensor_type = nullptr;

namespace {

// Objects that died wait here to be used again: a tensor's life is often one expression.
constexpr int kMaxFree = 64;
PyObject* free_objects[kMaxFree];
int free_count = 0;

void tensor_free(PyObject* self) {
  TensorObject* const object = reinterpret_cast<TensorObject*>(self);
  if (object->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  object->value.~Tensor();
  if (free_count < kMaxFree) {
    free_objects[free_count++] = self;
    return;
  }
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

PyObject* tensor_new(PyTypeObject*, PyObject*, PyObject*) {
  raise_error(
      Error(Code::kType, "Tensor", "call", "is no function; wf.tensor(data) makes a tensor"));
  return nullptr;
}

Py_ssize_t tensor_length(PyObject* self) {
  Py_ssize_t length = -1;
  guarded_status([&] {
    const Tensor& t = tensor_of(self);
    if (t.rank() == 0) {
      PyErr_SetString(PyExc_TypeError, "len: a tensor of rank 0 has no length");
      throw PendingError();
    }
    length = static_cast<Py_ssize_t>(value_here(t.shape()[0]));
  });
  return length;
}

PyObject* tensor_iterate(PyObject* self) {
  return guarded([&] {
    if (tensor_of(self).rank() == 0) {
      PyErr_SetString(PyExc_TypeError, "iter: a tensor of rank 0 cannot be iterated over");
      throw PendingError();
    }
    return PySeqIter_New(self);
  });
}

PyObject* get_shape(PyObject* self, void*) {
  return guarded([&] {
    const ShapeView shape = tensor_of(self).shape();
    Ref out = checked(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
    for (size_t i = 0; i < shape.size(); ++i) {
      PyTuple_SET_ITEM(out.get(), static_cast<Py_ssize_t>(i), dim_to_python(shape[i]));
    }
    return out.give_up();
  });
}
PyObject* get_strides(PyObject* self, void*) {
  return guarded([&] {
    const std::span<const int64_t> strides = tensor_of(self).strides();
    Ref out = checked(PyTuple_New(static_cast<Py_ssize_t>(strides.size())));
    for (size_t i = 0; i < strides.size(); ++i) {
      const int64_t bytes = strides[i] * size_of(tensor_of(self).dtype());
      PyTuple_SET_ITEM(out.get(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(bytes));
    }
    return out.give_up();
  });
}
PyObject* get_dtype(PyObject* self, void*) {
  return guarded([&] { return Py_NewRef(dtype_object(tensor_of(self).dtype())); });
}
PyObject* get_ndim(PyObject* self, void*) {
  return guarded([&] { return PyLong_FromLongLong(tensor_of(self).rank()); });
}
PyObject* get_size(PyObject* self, void*) {
  return guarded([&] {
    const Dim size = num_elements(tensor_of(self).shape());
    return size.is_known() ? new_size(size.value()) : dim_to_python(size);
  });
}
PyObject* get_itemsize(PyObject* self, void*) {
  return guarded([&] { return PyLong_FromLongLong(size_of(tensor_of(self).dtype())); });
}
PyObject* get_nbytes(PyObject* self, void*) {
  return guarded([&] {
    const Tensor& t = tensor_of(self);
    return PyLong_FromLongLong(value_here(num_elements(t.shape())) * size_of(t.dtype()));
  });
}
PyObject* get_device(PyObject*, void*) { return PyUnicode_InternFromString("cpu"); }

// The last two axes swapped, by the op: it is recorded and transformed like any other.
PyObject* swapped(const Tensor& t) {
  static const OpEntry* const permute = find_op("permute_dims");
  if (permute == nullptr) fail(Code::kMissing, "permute_dims", "registered", "there is no such op");
  AnyAttrs attrs(permute->attrs);
  Ints& axes = attrs.get<Ints>("axes");
  axes.clear();
  for (int64_t i = 0; i < t.rank(); ++i) axes.push_back(i);
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return call_op(*permute, inputs(t), attrs.data());
}
PyObject* get_transposed(PyObject* self, void*) {
  return guarded([&] {
    const Held held(self);
    const Tensor& t = held.get();
    if (t.rank() != 2) {
      fail(Code::kInvalid, "T", "rank", "the tensor has shape ", t.shape(),
           ", but x.T needs two axes; use x.mT for matrices in a batch, or permute_dims");
    }
    return swapped(t);
  });
}
PyObject* get_matrix_transposed(PyObject* self, void*) {
  return guarded([&] {
    const Held held(self);
    const Tensor& t = held.get();
    if (t.rank() < 2) {
      fail(Code::kInvalid, "mT", "rank", "the tensor has shape ", t.shape(),
           ", but x.mT needs two axes at least");
    }
    return swapped(t);
  });
}

PyGetSetDef getters[] = {
    {"shape", get_shape, nullptr, "The extents, a tuple.", nullptr},
    {"dtype", get_dtype, nullptr, "The element type.", nullptr},
    {"ndim", get_ndim, nullptr, "The number of axes.", nullptr},
    {"size", get_size, nullptr, "The number of elements.", nullptr},
    {"device", get_device, nullptr, "Where the memory is.", nullptr},
    {"itemsize", get_itemsize, nullptr, "Bytes of one element.", nullptr},
    {"nbytes", get_nbytes, nullptr, "Bytes of all elements.", nullptr},
    {"strides", get_strides, nullptr, "Bytes from one element to the next, per axis.", nullptr},
    {"T", get_transposed, nullptr, "A matrix with its axes swapped.", nullptr},
    {"mT", get_matrix_transposed, nullptr, "The last two axes swapped.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(TensorObject, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyMethodDef methods[] = {
    {"item", tensor_item, METH_NOARGS, "The only element, as a Python number."},
    {"tolist", tensor_tolist, METH_NOARGS, "Nested lists of Python numbers."},
    {"__complex__", tensor_complex, METH_NOARGS, nullptr},
    {"__dlpack__", as_method(tensor_dlpack), METH_FASTCALL | METH_KEYWORDS,
     "A DLPack capsule over this memory (read-only), for other libraries."},
    {"__dlpack_device__", tensor_dlpack_device, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

// What the package says about a name that a tensor does not have; nothing while it is loaded.
Ref hint_for(PyObject* self, PyObject* name) {
  const Ref hints(PyImport_ImportModule("weft._hints"));
  if (!hints) return Ref();
  return Ref(PyObject_CallMethod(hints.get(), "of_tensor", "OO", Py_TYPE(self), name));
}

template <class Function>
void* slot(Function function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

PyObject* tensor_getattro(PyObject* self, PyObject* name) {
  PyObject* const found = PyObject_GenericGetAttr(self, name);
  if (found != nullptr || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  if (text_of(name).starts_with("__")) return nullptr;
  PyObject *kind = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&kind, &value, &trace);
  const Ref hint = hint_for(self, name);
  PyErr_Restore(kind, value, trace);
  if (hint && PyUnicode_Check(hint.get()) && PyUnicode_GET_LENGTH(hint.get()) > 0) {
    PyErr_Format(PyExc_AttributeError, "a tensor has no '%U'; %U", name, hint.get());
  }
  return nullptr;
}

PyObject* wrap(Tensor tensor) {
  TensorObject* object;
  if (free_count > 0) {
    object = reinterpret_cast<TensorObject*>(free_objects[--free_count]);
    Py_SET_REFCNT(reinterpret_cast<PyObject*>(object), 1);
  } else {
    object = PyObject_New(TensorObject, tensor_type);
    if (object == nullptr) throw PendingError();
  }
  new (&object->value) Tensor(std::move(tensor));
  object->weak_references = nullptr;
  return reinterpret_cast<PyObject*>(object);
}

PyObject* wrap_all(Tensors&& tensors) {
  Ref out = checked(PyTuple_New(static_cast<Py_ssize_t>(tensors.size())));
  for (size_t i = 0; i < tensors.size(); ++i) {
    PyObject* const item = tensors[i].defined() ? wrap(std::move(tensors[i])) : Py_NewRef(Py_None);
    PyTuple_SET_ITEM(out.get(), static_cast<Py_ssize_t>(i), item);
  }
  return out.give_up();
}

void add_tensor_type(PyObject* module) {
  std::vector<PyType_Slot> slots = {
      {Py_tp_dealloc, slot(tensor_free)},
      {Py_tp_new, slot(tensor_new)},
      {Py_tp_repr, slot(tensor_repr)},
      {Py_tp_hash, slot(PyBaseObject_Type.tp_hash)},
      {Py_tp_richcompare, slot(tensor_compare)},
      {Py_tp_iter, slot(tensor_iterate)},
      {Py_tp_getattro, slot(tensor_getattro)},
      {Py_tp_getset, getters},
      {Py_tp_members, members},
      {Py_tp_methods, methods},
      {Py_tp_doc, const_cast<char*>("An immutable array of one dtype; made by wf.tensor(data).")},
      {Py_sq_length, slot(tensor_length)},
      {Py_sq_item, slot(tensor_getrow)},
      {Py_mp_length, slot(tensor_length)},
      {Py_mp_subscript, slot(tensor_getitem)},
      {Py_mp_ass_subscript, slot(tensor_setitem)},
      {Py_bf_getbuffer, slot(tensor_getbuffer)},
      {Py_bf_releasebuffer, slot(tensor_releasebuffer)},
  };
  size_t count = 0;
  const PyType_Slot* const numbers = number_slots(&count);
  slots.insert(slots.end(), numbers, numbers + count);
  slots.push_back({0, nullptr});
  PyType_Spec spec{"weft.Tensor", sizeof(TensorObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                   slots.data()};
  tensor_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)).give_up());
  checked(PyModule_AddObjectRef(module, "Tensor", reinterpret_cast<PyObject*>(tensor_type)));
}

}  // namespace weft::python
