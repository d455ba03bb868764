// One binder for all ops: positional, keyword, variadic, optional.
#include "bindings/arguments.h"

#include <algorithm>

#include "bindings/dialect.h"
#include "bindings/tensor_object.h"
#include "bindings/user_op.h"
#include "weft/base/error.h"

namespace weft::python {
namespace {

constexpr size_t kMaxParameters = 24;

std::string_view parameter_name(const Signature& s, size_t i) {
  return i < s.inputs ? s.entry.inputs[i].name : s.entry.attrs->fields[i - s.inputs].name;
}

// Where a keyword goes; names are interned, so identity nearly always decides.
size_t find_parameter(const Signature& s, PyObject* keyword) {
  for (size_t i = 0; i < s.parameters(); ++i) {
    if (s.names[i] == keyword) return i;
  }
  for (size_t i = 0; i < s.parameters(); ++i) {
    if (PyUnicode_Compare(s.names[i], keyword) == 0) return i;
  }
  PyErr_Clear();
  return s.parameters();
}

// `device` where a tensor is made, `copy` where one may be shared: the array API's keywords that
// change nothing here, for there is one device and no tensor is ever written to.
bool is_harmless(const Signature& s, PyObject* keyword, PyObject* value) {
  const std::string_view name = text_of(keyword);
  if (name == "device") {
    return value == Py_None || (PyUnicode_Check(value) && text_of(value) == "cpu");
  }
  const bool shares = s.entry.op != nullptr && (s.entry.op->is_view || s.entry.name == "cast");
  return name == "copy" && shares && (value == Py_None || PyBool_Check(value));
}

[[noreturn]] void fail_keyword(const Signature& s, PyObject* keyword) {
  const std::string_view name = text_of(keyword);
  const std::string_view ours = our_word(name);
  bool known = false;
  std::string list;
  for (size_t i = 0; i < s.parameters(); ++i) {
    known |= parameter_name(s, i) == ours;
    list += text(i == 0 ? "" : ", ", parameter_name(s, i));
  }
  if (known) {
    fail(Code::kType, s.entry.name, "keyword", "has no argument '", name, "'; weft calls this ",
         ours);
  }
  fail(Code::kType, s.entry.name, "keyword", "has no argument '", name, "'; its arguments are ",
       list.empty() ? "none" : list);
}

[[noreturn]] void fail_count(const Signature& s, size_t count) {
  fail(Code::kType, s.entry.name, "count", "takes ", s.parameters(),
       s.parameters() == 1 ? " argument" : " arguments", " at most, but got ", count);
}

bool is_integer_object(PyObject* object) { return PyLong_Check(object) && !PyBool_Check(object); }

// x.reshape(2, 3): bare integers from the gathering parameter on, as one tuple; else null.
Ref gathered(const Signature& s, PyObject* const* args, size_t count) {
  const size_t first = static_cast<size_t>(s.gathers);
  if (s.gathers < 0 || count <= first + 1) return {};
  for (size_t i = first; i < count; ++i) {
    if (!is_integer_object(args[i])) return {};
  }
  Ref tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(count - first)));
  for (size_t i = first; i < count; ++i) {
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i - first), Py_NewRef(args[i]));
  }
  return tuple;
}

void place_keywords(const Signature& s, PyObject* const* values, PyObject* keywords,
                    PyObject** slots) {
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(keywords); ++k) {
    PyObject* const keyword = PyTuple_GET_ITEM(keywords, k);
    const size_t i = find_parameter(s, keyword);
    if (i == s.parameters()) {
      if (is_harmless(s, keyword, values[k])) continue;
      fail_keyword(s, keyword);
    }
    if (slots[i] != nullptr) {
      fail(Code::kType, s.entry.name, "keyword", "argument '", text_of(keyword),
           "' was given twice, by position and by name");
    }
    slots[i] = values[k];
  }
}

void bind_variadic(const ArgSpec& spec, std::string_view op, PyObject* object,
                   BoundInputs& inputs) {
  const bool is_list = PyList_Check(object) || PyTuple_Check(object);
  if (!is_list) {
    fail(Code::kType, op, "argument", spec.name, " must be a list or tuple of tensors, but got ",
         short_repr(object));
  }
  // The list may change while the op runs: the tensors are held.
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
    const Ref item = Ref::borrowed(PySequence_Fast_GET_ITEM(object, i));
    const std::string name = text(spec.name, "[", i, "]");
    inputs.own(tensor_from(item.get(), {op, name}));
  }
}

void bind_input(const ArgSpec& spec, std::string_view op, PyObject* object, BoundInputs& inputs) {
  if (spec.variadic) return bind_variadic(spec, op, object, inputs);
  if (is_tensor(object)) {
    inputs.borrow(tensor_of(object));
  } else {
    inputs.own(tensor_from(object, {op, spec.name}));
  }
}

void bind_inputs(const Signature& s, PyObject* const* slots, BoundInputs& inputs) {
  size_t last = s.inputs;  // optional inputs at the end that were left out are not there at all
  while (last > 0 && s.entry.inputs[last - 1].optional &&
         (slots[last - 1] == nullptr || slots[last - 1] == Py_None)) {
    --last;
  }
  for (size_t i = 0; i < last; ++i) {
    const ArgSpec& spec = s.entry.inputs[i];
    if (slots[i] != nullptr && !(spec.optional && slots[i] == Py_None)) {
      bind_input(spec, s.entry.name, slots[i], inputs);
    } else if (spec.optional) {
      inputs.leave_out();
    } else {
      fail(Code::kType, s.entry.name, "count", "argument '", spec.name, "' is missing");
    }
  }
}

void bind_fields(const Signature& s, PyObject* const* slots, BoundAttrs& attrs) {
  const std::span<const FieldInfo> fields = s.entry.attrs->fields;
  for (size_t i = 0; i < fields.size(); ++i) {
    PyObject* const value = slots[s.inputs + i];
    if (value == nullptr && fields[i].required) {
      fail(Code::kType, s.entry.name, "count", "argument '", fields[i].name,
           "' is missing: ", fields[i].doc);
    }
    // None asks for the default: dtype=None.
    if (value == nullptr || (value == Py_None && !fields[i].required)) continue;
    attrs.set(i, value);
  }
}

}  // namespace

Signature::Signature(const OpEntry& entry)
    : entry(entry), inputs(entry.inputs.size()), all_plain(true) {
  const auto add_name = [&](std::string_view name) {
    PyObject* unicode = to_python(name);
    checked(unicode == nullptr ? -1 : 0);
    PyUnicode_InternInPlace(&unicode);
    names.push_back(unicode);
  };
  for (const ArgSpec& arg : entry.inputs) {
    add_name(arg.name);
    if (arg.optional || arg.variadic) all_plain = false;
  }
  for (const FieldInfo& field : entry.attrs->fields) {
    add_name(field.name);
    if (!field.required) continue;
    needs_attrs = true;
    const bool is_list = field.type == FieldType::kShape || field.type == FieldType::kInts;
    if (is_list && gathers < 0) gathers = static_cast<int>(names.size()) - 1;
  }
  WEFT_ASSERT(names.size() <= kMaxParameters, entry.name, " has too many parameters");
  defaults = ::operator new(std::max<size_t>(entry.attrs->size, 1),
                            std::align_val_t(std::max<size_t>(entry.attrs->align, 16)));
  construct_defaults(*entry.attrs, defaults);
}

Signature::~Signature() {
  entry.attrs->destroy(defaults);
  ::operator delete(defaults, std::align_val_t(std::max<size_t>(entry.attrs->align, 16)));
  for (PyObject* name : names) Py_DECREF(name);
}

BoundAttrs::~BoundAttrs() {
  if (data_ == nullptr) return;
  signature_.entry.attrs->destroy(data_);
  if (data_ != room_) ::operator delete(data_);
}

void BoundAttrs::set(size_t field, PyObject* value) {
  const AttrsType& type = *signature_.entry.attrs;
  if (data_ == nullptr) {
    void* const memory = type.size <= kRoom ? room_ : ::operator new(type.size);
    type.copy(memory, signature_.defaults);
    data_ = memory;
  }
  set_field(type.fields[field], data_, value, signature_.entry.name);
}

void bind_arguments(const Signature& s, PyObject* const* args, size_t count, PyObject* keywords,
                    BoundInputs& inputs, BoundAttrs& attrs) {
  PyObject* slots[kMaxParameters] = {};
  const Ref tuple = gathered(s, args, count);
  const size_t placed = tuple ? static_cast<size_t>(s.gathers) : count;
  if (placed > s.parameters()) fail_count(s, count);
  for (size_t i = 0; i < placed; ++i) slots[i] = args[i];
  if (tuple) slots[placed] = tuple.get();
  if (keywords != nullptr) place_keywords(s, args + count, keywords, slots);
  bind_inputs(s, slots, inputs);
  bind_fields(s, slots, attrs);
}

}  // namespace weft::python
