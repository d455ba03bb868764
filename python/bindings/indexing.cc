// x[key]: basic indexing by slice, an integer tensor along one axis by take.
#include <algorithm>
#include <vector>

#include "bindings/from_python.h"
#include "bindings/op_function.h"
#include "bindings/tensor_object.h"
#include "bindings/value.h"
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

bool is_integer_scalar(PyObject* object) {
  return is_tensor(object) && tensor_of(object).rank() == 0 &&
         is_integer(tensor_of(object).dtype());
}
// x[i] where i differs between the examples of a vmap: no part of an attribute, but an input.
bool is_batched_integer(PyObject* object) {
  return is_integer_scalar(object) && !has_value(tensor_of(object));
}

bool is_single_integer(PyObject* object) {
  if (PyLong_Check(object)) return !PyBool_Check(object);
  if (is_tensor(object)) return is_integer_scalar(object) && has_value(tensor_of(object));
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

PyObject* take_along(const Tensor& x, const Tensor& indices, int64_t axis) {
  static const OpEntry& take = op_named("take");
  AnyAttrs attrs(take.attrs);
  attrs.get<std::optional<int64_t>>("axis") = axis;
  return call_op(take, inputs(x, indices), attrs.data());
}

PyObject* take_rows(const Tensor& x, const ArrayIndex& at) {
  const OpEntry& slice = op_named("slice");
  Tensor base = x;
  if (!at.plain) {
    AnyAttrs attrs(slice.attrs);
    attrs.get<Index>("index") = at.basic;
    base = tensor_of(Ref(call_op(slice, inputs(x), attrs.data())).get());
  }
  return take_along(base, at.indices, at.axis);
}

// x[key] where entries of the key are batched integers: the rest of the key first, with `:` in
// their places, then take along each, the last first, which leaves the axes before it as they are.
PyObject* take_batched(const Tensor& x, PyObject* const* items, Py_ssize_t count) {
  struct Place {
    int64_t axis;
    Tensor index;
  };
  std::vector<Place> places;
  Index rest;
  int64_t axis = 0, consumed = 0, ellipsis_after = -1;
  for (Py_ssize_t i = 0; i < count; ++i) {
    IndexItem item;
    if (is_batched_integer(items[i])) {
      places.push_back({axis, tensor_of(items[i])});
    } else if (const std::optional<IndexItem> basic = item_from(items[i], {"getitem", "key"})) {
      item = *basic;
    } else {
      fail_mixed("an index array beside an integer under vmap is not supported yet");
    }
    if (item.kind == IndexItem::Kind::kEllipsis) ellipsis_after = axis;
    const bool is_range = item.kind == IndexItem::Kind::kRange;
    consumed += is_range || item.kind == IndexItem::Kind::kInteger;
    axis += is_range || item.kind == IndexItem::Kind::kNewAxis;
    rest.push_back(item);
  }
  AnyAttrs attrs(op_named("slice").attrs);
  attrs.get<Index>("index") = rest;
  Ref out(call_op(op_named("slice"), inputs(x), attrs.data()));
  for (size_t k = places.size(); k-- > 0;) {
    const bool is_behind = ellipsis_after >= 0 && places[k].axis >= ellipsis_after;
    const int64_t at = places[k].axis + (is_behind ? x.rank() - consumed : 0);
    out = Ref(take_along(tensor_of(out.get()), places[k].index, at));
  }
  return out.give_up();
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
    const Held held(self);
    const Tensor& x = held.get();
    const bool is_tuple = PyTuple_Check(key);
    PyObject* const* const items = is_tuple ? &PyTuple_GET_ITEM(key, 0) : &key;
    const Py_ssize_t count = is_tuple ? PyTuple_GET_SIZE(key) : 1;
    Index index;
    for (Py_ssize_t i = 0; i < count; ++i) {
      const std::optional<IndexItem> item = item_from(items[i], {"getitem", "key"});
      if (!item && std::any_of(items, items + count, is_batched_integer)) {
        return take_batched(x, items, count);
      }
      if (!item) return take_rows(x, array_index(items, count, x.rank()));
      index.push_back(*item);
    }
    const FieldInfo& field = slice.attrs->fields[0];
    AnyAttrs attrs(slice.attrs);
    *static_cast<Index*>(field.in(attrs.data())) = std::move(index);
    return call_op(slice, inputs(x), attrs.data());
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

int tensor_setitem(PyObject* self, PyObject*, PyObject* value) {
  return guarded_status([&] {
    if (is_variable(self) && value != nullptr) {
      fail(Code::kType, "setitem", "immutable",
           "a Variable is assigned to as a whole; write v.assign(v.at[...].set(value))");
    }
    fail(Code::kType, "setitem", "immutable", "tensors never change; ",
         value == nullptr ? "take the part to keep: x[...]"
                          : "x = x.at[...].set(value) gives a changed copy");
  });
}

}  // namespace weft::python
