// x[key]: basic indexing by slice, an integer tensor along one axis by take.
#include <algorithm>

#include "bindings/from_python.h"
#include "bindings/op_function.h"
#include "bindings/tensor_object.h"
#include "weft/base/error.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"

namespace weft::python {
namespace {

const OpEntry& op_named(const char* name) {
  const OpEntry* const entry = find_op(name);
  if (entry == nullptr) fail(Code::kMissing, name, "registered", "there is no such op");
  return *entry;
}

// A bound of a slice: too large ones mean the end.
std::optional<int64_t> bound_from(PyObject* object, Asker asker) {
  if (object == Py_None) return {};
  if (!PyIndex_Check(object)) {
    fail(Code::kType, asker.op, "argument", asker.argument,
         " has a bound that is no integer: ", short_repr(object));
  }
  const Py_ssize_t value = PyNumber_AsSsize_t(object, nullptr);
  if (value == -1 && PyErr_Occurred()) throw PendingError();
  constexpr Py_ssize_t kFar = Py_ssize_t{1} << 62;
  return std::clamp<Py_ssize_t>(value, -kFar, kFar);
}

IndexItem range_from(PyObject* object, Asker asker) {
  const PySliceObject* const slice = reinterpret_cast<PySliceObject*>(object);
  IndexItem item;
  item.start = bound_from(slice->start, asker);
  item.stop = bound_from(slice->stop, asker);
  item.step = bound_from(slice->step, asker).value_or(1);
  return item;
}

bool is_single_integer(PyObject* object) {
  if (PyLong_Check(object)) return !PyBool_Check(object);
  if (is_tensor(object))
    return tensor_of(object).rank() == 0 && is_integer(tensor_of(object).dtype());
  if (!PyIndex_Check(object)) return false;
  const Ref number(PyNumber_Index(object));  // NumPy arrays with axes refuse here
  PyErr_Clear();
  return static_cast<bool>(number);
}

// A basic item, or nothing if it is an array, a list or something else.
std::optional<IndexItem> item_from(PyObject* object, Asker asker) {
  IndexItem item;
  if (object == Py_None) {
    item.kind = IndexItem::Kind::kNewAxis;
  } else if (object == Py_Ellipsis) {
    item.kind = IndexItem::Kind::kEllipsis;
  } else if (PySlice_Check(object)) {
    return range_from(object, asker);
  } else if (is_single_integer(object)) {
    item.kind = IndexItem::Kind::kInteger;
    item.start = int_from(object, asker);
  } else {
    return {};
  }
  return item;
}

[[noreturn]] void fail_item(PyObject* object, Asker asker) {
  fail(Code::kIndex, asker.op, "argument", asker.argument, " holds ", short_repr(object),
       "; an index is made of integers, slices, None and ...");
}

// A key with one integer array in it: where it stands, and the rest with `:` in its place.
struct ArrayIndex {
  Index basic;
  Tensor indices;
  int64_t axis = 0;
  bool plain = true;  // the rest is nothing but `:`
};

[[noreturn]] void fail_mixed(std::string_view what) {
  fail(Code::kMissing, "getitem", "advanced", what,
       "; one integer array among slices works, or use wf.take, wf.gather or wf.where");
}

Tensor index_array(PyObject* object) {
  if (PyUnicode_Check(object) || PyFloat_Check(object)) fail_item(object, {"getitem", "key"});
  if (PyBool_Check(object)) fail_mixed("a boolean index is not supported yet");
  Tensor indices = tensor_from(object, {"getitem", "key"});
  if (indices.dtype() == DType::kBool) {
    fail(Code::kMissing, "getitem", "boolean",
         "a boolean index gives a shape that depends on values and is not supported yet; use "
         "wf.where(mask, x, 0), or indices");
  }
  const bool is_empty_list = PyList_Check(object) && indices.numel() == 0;
  if (is_empty_list) return Tensor::empty(DType::kI64, indices.shape());
  if (!is_integer(indices.dtype())) {
    fail(Code::kIndex, "getitem", "dtype", "an index has dtype ", indices.dtype(),
         "; indices are integers");
  }
  return indices;
}

ArrayIndex array_index(PyObject* const* items, Py_ssize_t count, int64_t rank) {
  ArrayIndex out;
  int64_t consumed = 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    const std::optional<IndexItem> item = item_from(items[i], {"getitem", "key"});
    if (!item) {
      if (out.indices.defined()) fail_mixed("several index arrays are not supported yet");
      out.indices = index_array(items[i]);
      out.axis = static_cast<int64_t>(out.basic.size());
      out.basic.push_back(IndexItem{});
      ++consumed;
      continue;
    }
    if (item->kind == IndexItem::Kind::kInteger) {
      fail_mixed("an integer beside an index array is not supported yet");
    }
    consumed += item->kind == IndexItem::Kind::kRange;
    out.plain &= *item == IndexItem{};
    out.basic.push_back(*item);
  }
  // An ellipsis before the array stands for the axes that no other entry takes.
  for (int64_t i = 0, before = out.axis; i < before; ++i) {
    if (out.basic[static_cast<size_t>(i)].kind == IndexItem::Kind::kEllipsis) {
      out.axis += rank - consumed - 1;
    }
  }
  return out;
}

PyObject* take_rows(const Tensor& x, const ArrayIndex& at) {
  const OpEntry& take = op_named("take");
  const OpEntry& slice = op_named("slice");
  Tensor base = x;
  if (!at.plain) {
    AnyAttrs attrs(slice.attrs);
    attrs.get<Index>("index") = at.basic;
    base = tensor_of(Ref(call_op(slice, inputs(x), attrs.data())).get());
  }
  AnyAttrs attrs(take.attrs);
  const FieldInfo* const field = take.attrs->find("axis");
  if (field != nullptr && field->type == FieldType::kOptionalInt) {
    attrs.get<std::optional<int64_t>>("axis") = at.axis;
  } else {
    attrs.get<int64_t>("axis") = at.axis;
  }
  return call_op(take, inputs(base, at.indices), attrs.data());
}

}  // namespace

Index index_from(PyObject* key, Asker asker) {
  Index out;
  const bool is_tuple = PyTuple_Check(key);
  const Py_ssize_t count = is_tuple ? PyTuple_GET_SIZE(key) : 1;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const object = is_tuple ? PyTuple_GET_ITEM(key, i) : key;
    const std::optional<IndexItem> item = item_from(object, asker);
    if (!item) fail_item(object, asker);
    out.push_back(*item);
  }
  return out;
}

PyObject* tensor_getitem(PyObject* self, PyObject* key) {
  return guarded([&] {
    static const OpEntry& slice = op_named("slice");
    const bool is_tuple = PyTuple_Check(key);
    PyObject* const* const items = is_tuple ? &PyTuple_GET_ITEM(key, 0) : &key;
    const Py_ssize_t count = is_tuple ? PyTuple_GET_SIZE(key) : 1;
    Index index;
    for (Py_ssize_t i = 0; i < count; ++i) {
      const std::optional<IndexItem> item = item_from(items[i], {"getitem", "key"});
      if (!item)
        return take_rows(tensor_of(self), array_index(items, count, tensor_of(self).rank()));
      index.push_back(*item);
    }
    const FieldInfo& field = slice.attrs->fields[0];
    AnyAttrs attrs(slice.attrs);
    *static_cast<Index*>(field.in(attrs.data())) = std::move(index);
    return call_op(slice, inputs(tensor_of(self)), attrs.data());
  });
}

PyObject* tensor_getrow(PyObject* self, Py_ssize_t row) {
  return guarded([&] {
    const Tensor& t = tensor_of(self);
    if (t.rank() == 0 || row < 0 || row >= t.shape()[0].value()) {
      PyErr_SetString(PyExc_IndexError, "getitem: the index is out of range");
      throw PendingError();
    }
    return wrap(select_row(t, row, Where{}));
  });
}

int tensor_setitem(PyObject*, PyObject*, PyObject* value) {
  return guarded_status([&] {
    fail(Code::kType, "setitem", "immutable", "tensors never change; ",
         value == nullptr ? "take the part to keep: x[...]"
                          : "x = x.at[...].set(value) gives a changed copy");
  });
}

}  // namespace weft::python
