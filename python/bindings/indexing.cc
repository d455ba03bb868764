// x[key] and x.at[key]: basic indexing by slice, tensors in the key by weft::index.
#include <algorithm>
#include <vector>

#include "bindings/dim_object.h"
#include "bindings/from_python.h"
#include "bindings/indexing.h"
#include "bindings/line.h"
#include "bindings/op_function.h"
#include "bindings/tensor_object.h"
#include "bindings/value.h"
#include "weft/base/error.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/ops/shape/parts.h"

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
  if (is_tensor(object)) {  // one that differs between the examples of a vmap is an index tensor
    const Tensor& t = tensor_of(object);
    return t.rank() == 0 && is_integer(t.dtype()) && has_concrete_value(t);
  }
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

// An entry that is a tensor, an array or a list of integers or bools.
Tensor index_tensor_from(PyObject* object, Asker asker) {
  if (PyUnicode_Check(object) || PyFloat_Check(object)) fail_item(object, asker);
  Tensor indices = tensor_from(object, asker);
  const bool is_empty_list = PyList_Check(object) && indices.numel() == 0;
  return is_empty_list ? Tensor::empty(DType::kI64, indices.shape()) : indices;
}

std::vector<IndexEntry> entries_from(PyObject* key, Asker asker) {
  const bool is_tuple = PyTuple_Check(key);
  PyObject* const* const items = is_tuple ? &PyTuple_GET_ITEM(key, 0) : &key;
  const Py_ssize_t count = is_tuple ? PyTuple_GET_SIZE(key) : 1;
  std::vector<IndexEntry> out;
  for (Py_ssize_t i = 0; i < count; ++i) {
    const std::optional<IndexItem> item = item_from(items[i], asker);
    out.push_back(item ? IndexEntry(*item) : IndexEntry(index_tensor_from(items[i], asker)));
  }
  return out;
}

// "with x: float32[3, 4], indices: int64[2] bool[4], value: float32[]": what an error is told.
std::string call_text(const std::vector<IndexEntry>& entries, const Tensor& x,
                      const Tensor& value) {
  std::string out = text("with x: ", x.dtype(), x.shape());
  bool is_first = true;
  for (const IndexEntry& entry : entries) {
    if (!entry.is_tensor()) continue;
    out += text(is_first ? ", indices: " : " ", entry.tensor.dtype(), entry.tensor.shape());
    is_first = false;
  }
  if (value.defined()) out += text(", value: ", value.dtype(), value.shape());
  return out;
}

bool is_dim(PyObject* object) { return dim_in(object).has_value(); }

// Does the item have a size that is a symbol in it?
bool has_symbol(PyObject* item) {
  if (!PySlice_Check(item)) return is_dim(item);
  const PySliceObject* const slice = reinterpret_cast<PySliceObject*>(item);
  return is_dim(slice->start) || is_dim(slice->stop);
}

std::optional<Dim> dim_bound_from(PyObject* object, Asker asker) {
  if (const std::optional<Dim> dim = dim_in(object)) return dim;
  const std::optional<int64_t> value = bound_from(object, asker);
  return value ? std::optional<Dim>(std::clamp<int64_t>(*value, INT32_MIN, INT32_MAX))
               : std::nullopt;
}

// A key without symbols, and the tensor it is to be applied to: items with symbols are applied
// already, from the last axis to the first.
class SymbolicIndex {
 public:
  SymbolicIndex(const Tensor& x, PyObject* const* items, Py_ssize_t count) : x_(x) {
    std::vector<int64_t> axes = axes_of(items, count);
    for (Py_ssize_t i = 0; i < count; ++i) items_.push_back(Ref::borrowed(items[i]));
    for (Py_ssize_t i = count; i-- > 0;) {
      if (has_symbol(items[i])) apply(static_cast<size_t>(i), axes[static_cast<size_t>(i)]);
    }
  }

  static bool is_needed(PyObject* const* items, Py_ssize_t count) {
    return std::any_of(items, items + count, has_symbol);
  }
  // Steps by more than one element leave nothing to apply here.
  bool is_same() const { return is_same_; }
  const Tensor& x() const { return x_; }
  Ref key() const {
    Ref out = checked(PyTuple_New(static_cast<Py_ssize_t>(items_.size())));
    for (size_t i = 0; i < items_.size(); ++i) {
      PyTuple_SET_ITEM(out.get(), static_cast<Py_ssize_t>(i), Py_NewRef(items_[i].get()));
    }
    return out;
  }

 private:
  // The axis each item begins at.
  std::vector<int64_t> axes_of(PyObject* const* items, Py_ssize_t count) const {
    int64_t used = 0;
    for (Py_ssize_t i = 0; i < count; ++i) used += axes_taken(items[i]);
    std::vector<int64_t> out;
    int64_t axis = 0;
    for (Py_ssize_t i = 0; i < count; ++i) {
      out.push_back(axis);
      axis += items[i] == Py_Ellipsis ? x_.rank() - used : axes_taken(items[i]);
    }
    return out;
  }
  static int64_t axes_taken(PyObject* item) {
    if (item == Py_None || item == Py_Ellipsis || PyBool_Check(item)) return 0;
    const bool is_mask = is_tensor(item) && tensor_of(item).dtype() == DType::kBool;
    return is_mask ? tensor_of(item).rank() : 1;
  }

  void apply(size_t i, int64_t axis) {
    const Asker asker{"getitem", "key"};
    if (axis >= x_.rank()) return;  // too many items: told when the key is applied
    const Where where = python_line();
    PyObject* const item = items_[i].get();
    if (!PySlice_Check(item)) {
      x_ = row_at(x_, axis, *dim_in(item), where);
      items_[i] = checked(PyLong_FromLong(0));
      is_same_ = false;
      return;
    }
    const PySliceObject* const slice = reinterpret_cast<PySliceObject*>(item);
    const std::optional<int64_t> step = bound_from(slice->step, asker);
    if (step && *step != 1) return;  // decided by the size of this call
    x_ = part_of(x_, axis, dim_bound_from(slice->start, asker), dim_bound_from(slice->stop, asker),
                 where);
    items_[i] = checked(PySlice_New(nullptr, nullptr, nullptr));
    is_same_ = false;
  }

  Tensor x_;
  std::vector<Ref> items_;
  bool is_same_ = true;
};

// The line of the user, if anyone will ask for it; and the GIL released while much is moved.
template <class Run>
PyObject* moved(const std::vector<IndexEntry>& entries, const Tensor& x, const Tensor& value,
                Run run) {
  constexpr int64_t kReleaseAbove = 20'000;
  Tensors all{x};
  if (value.defined()) all.push_back(value);
  for (const IndexEntry& entry : entries) {
    if (entry.is_tensor()) all.push_back(entry.tensor);
  }
  int64_t elements = 0;
  for (const Tensor& t : all) elements += t.is_concrete() ? t.numel() : 0;
  const Where where = line_if_traced(all);
  Tensor out;
  try {
    const WithoutGil scope(elements > kReleaseAbove);
    out = run(where);
  } catch (Error& error) {
    error.note(call_text(entries, x, value));
    throw;
  }
  return wrap(std::move(out));
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

// The key on the tensor.
static PyObject* applied(const Tensor& x, PyObject* key) {
  static const OpEntry& slice = op_named("slice");
  const bool is_tuple = PyTuple_Check(key);
  PyObject* const* const items = is_tuple ? &PyTuple_GET_ITEM(key, 0) : &key;
  const Py_ssize_t count = is_tuple ? PyTuple_GET_SIZE(key) : 1;
  if (!x.is_concrete() && SymbolicIndex::is_needed(items, count)) {
    const SymbolicIndex symbolic(x, items, count);
    if (!symbolic.is_same()) return applied(symbolic.x(), symbolic.key().get());
  }
  Index index;
  for (Py_ssize_t i = 0; i < count; ++i) {
    const std::optional<IndexItem> item = item_from(items[i], {"getitem", "key"});
    if (!item) {
      const std::vector<IndexEntry> entries = entries_from(key, {"getitem", "key"});
      return moved(entries, x, {}, [&](Where where) { return weft::index(x, entries, where); });
    }
    index.push_back(*item);
  }
  const FieldInfo& field = slice.attrs->fields[0];
  AnyAttrs attrs(slice.attrs);
  *static_cast<Index*>(field.in(attrs.data())) = std::move(index);
  return call_op(slice, inputs(x), attrs.data());
}

PyObject* tensor_getitem(PyObject* self, PyObject* key) {
  return guarded([&] {
    const Held held(self);
    return applied(held.get(), key);
  });
}

PyObject* tensor_updated(PyObject* self, PyObject* key, PyObject* value, Update update) {
  const Asker asker{"at", "index"};
  const Held held(self);
  const Tensor& x = held.get();
  const std::vector<IndexEntry> entries = entries_from(key, asker);
  const Tensor given = tensor_from(value, {"at", "value"});
  return moved(entries, x, given,
               [&](Where where) { return index_update(x, entries, given, update, where); });
}

PyObject* tensor_getrow(PyObject* self, Py_ssize_t row) {
  return guarded([&] {
    const Tensor& t = tensor_of(self);
    if (t.rank() == 0 || row < 0 || row >= value_here(t.shape()[0])) {
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
