// One binder for all ops: positional, keyword, variadic, optional.
#include "bindings/arguments.h"

#include <algorithm>

#include "bindings/dialect.h"
#include "bindings/dim_object.h"
#include "bindings/size_field.h"
#include "bindings/tensor_object.h"
#include "bindings/user_op.h"
#include "weft/base/error.h"

namespace weft::python {
namespace {

constexpr size_t kMaxParameters = 24;

// Where a keyword goes; names are interned, so identity nearly always decides.
size_t find_parameter(const Signature& s, PyObject* keyword) {
  for (size_t i = 0; i < s.parameters.size(); ++i) {
    if (s.parameters[i].name == keyword) return i;
  }
  for (size_t i = 0; i < s.parameters.size(); ++i) {
    if (PyUnicode_Compare(s.parameters[i].name, keyword) == 0) return i;
  }
  PyErr_Clear();
  return s.parameters.size();
}

// `device` where a tensor is made, `copy` where one may be shared: the array API's keywords that
// change nothing here, for there is one device and no tensor is ever written to.
bool is_harmless(const Signature& s, PyObject* keyword, PyObject* value) {
  const std::string_view name = text_of(keyword);
  if (name == "device") {
    return value == Py_None || (PyUnicode_Check(value) && text_of(value) == "cpu");
  }
  const bool shares = s.entry.op != nullptr && (is_view(*s.entry.op) || s.entry.name == "cast");
  return name == "copy" && shares && (value == Py_None || PyBool_Check(value));
}

[[noreturn]] void fail_keyword(const Signature& s, PyObject* keyword) {
  const std::string_view name = text_of(keyword);
  std::string list;
  for (const Signature::Parameter& p : s.parameters) {
    if (is_word_for(name, p.text)) {
      fail(Code::kType, s.entry.name, "keyword", "has no argument '", name, "'; weft calls this ",
           p.text);
    }
    list += text(list.empty() ? "" : ", ", p.text);
  }
  if (const std::string_view hint = keyword_hint(name); !hint.empty()) {
    fail(Code::kType, s.entry.name, "keyword", "has no argument '", name, "'; ", hint);
  }
  fail(Code::kType, s.entry.name, "keyword", "has no argument '", name, "'; its arguments are ",
       list.empty() ? "none" : list);
}

[[noreturn]] void fail_count(const Signature& s, size_t count) {
  const size_t most = s.parameters.size();
  std::string list;
  for (const Signature::Parameter& p : s.parameters) list += text(list.empty() ? "" : ", ", p.text);
  fail(Code::kType, s.entry.name, "count", "takes ", most, most == 1 ? " argument" : " arguments",
       " at most (", list, "), but got ", count);
}

bool is_integer_object(PyObject* object) { return PyLong_Check(object) && !PyBool_Check(object); }

// x.reshape(2, 3): bare integers and sizes from the gathering parameter on, as one tuple; else
// null.
Ref gathered(const Signature& s, PyObject* const* args, size_t count) {
  const size_t first = static_cast<size_t>(s.gathers);
  if (s.gathers < 0 || count <= first + 1) return {};
  for (size_t i = first; i < count; ++i) {
    if (!is_integer_object(args[i]) && !dim_in(args[i])) return {};
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
    if (i == s.parameters.size()) {
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
  if (Py_TYPE(object) == tensor_type) {
    inputs.borrow(tensor_of(object));
  } else {  // what a Variable holds may go while the op runs: it is held
    inputs.own(tensor_from(object, {op, spec.name}));
  }
}

// Draws start with a key, which users of other libraries leave out.
std::string key_hint(const OpEntry& entry) {
  if (entry.module != "random") return {};
  const std::string_view plain = entry.name == "normal"    ? ", or wf.randn(2, 3)"
                                 : entry.name == "uniform" ? ", or wf.rand(2, 3)"
                                                           : "";
  return text("; draws start with a key, as in wf.random.", entry.name, "(wf.random.Key(0), ...)",
              plain);
}

void bind_inputs(const OpEntry& entry, PyObject* const* given, BoundInputs& inputs) {
  // Optional inputs at the end that were left out are not there at all.
  size_t last = entry.inputs.size();
  while (last > 0 && entry.inputs[last - 1].optional && given[last - 1] == nullptr) --last;
  for (size_t i = 0; i < last; ++i) {
    const ArgSpec& spec = entry.inputs[i];
    if (given[i] != nullptr) {
      bind_input(spec, entry.name, given[i], inputs);
    } else if (spec.optional) {
      inputs.leave_out();
    } else {
      fail(Code::kType, entry.name, "count", "argument '", spec.name, "' is missing",
           key_hint(entry));
    }
  }
}

// The default as a call would write it.
std::string default_text(const Signature& s, const FieldInfo& field) {
  const Ref value(field_to_python(field, s.defaults));
  const Ref shown(value ? PyObject_Repr(value.get()) : nullptr);
  if (!shown) PyErr_Clear();
  return shown ? std::string(text_of(shown.get())) : std::string("what it is");
}

// None has a meaning in other libraries: not to reduce, to take all elements as one row.
[[noreturn]] void fail_none(const Signature& s, const FieldInfo& field) {
  const std::string_view name = field.name;
  const std::string advice =
      name == "axis" ? text("x.reshape(-1) has all elements along one axis, and the default is ")
      : name == "reduction" ? text("\"none\" leaves the losses as they are, and the default is ")
                            : text("leave it out for its default, ");
  fail(Code::kType, s.entry.name, "argument", name, " is None, which means nothing here; ", advice,
       default_text(s, field));
}

// What is not given, or given as None where that means the same.
bool is_left_out(const Signature& s, const Signature::Parameter& p, PyObject* value) {
  if (value == nullptr) return true;
  if (value != Py_None) return false;
  if (p.is_input) return s.entry.inputs[p.index].optional;
  const FieldInfo& field = s.entry.attrs->fields[p.index];
  if (field.required) return false;
  if (!takes_none(field, s.defaults)) fail_none(s, field);
  return field.type == FieldType::kDType || field.type == FieldType::kString ||
         field.type == FieldType::kInts || field.type == FieldType::kShape;
}

void bind_slots(const Signature& s, PyObject* const* slots, BoundInputs& inputs,
                BoundAttrs& attrs) {
  PyObject* given[kMaxParameters] = {};
  for (size_t i = 0; i < s.parameters.size(); ++i) {
    const Signature::Parameter& p = s.parameters[i];
    if (p.is_input && !is_left_out(s, p, slots[i])) given[p.index] = slots[i];
  }
  bind_inputs(s.entry, given, inputs);
  for (size_t i = 0; i < s.parameters.size(); ++i) {
    const Signature::Parameter& p = s.parameters[i];
    if (p.is_input) continue;
    if (!is_left_out(s, p, slots[i])) {
      attrs.set(p.index, slots[i]);
    } else if (s.entry.attrs->fields[p.index].required) {
      fail(Code::kType, s.entry.name, "count", "argument '", p.text,
           "' is missing: ", s.entry.attrs->fields[p.index].doc, key_hint(s.entry));
    }
  }
}

}  // namespace

void Signature::add(std::string_view name, bool is_input, size_t index) {
  PyObject* unicode = to_python(name);
  checked(unicode == nullptr ? -1 : 0);
  PyUnicode_InternInPlace(&unicode);
  parameters.push_back({unicode, name, is_input, index});
}

Signature::Signature(const OpEntry& entry) : entry(entry) {
  const size_t align = std::max<size_t>(entry.attrs->align, 16);
  defaults = ::operator new(std::max<size_t>(entry.attrs->size, 1), std::align_val_t(align));
  construct_defaults(*entry.attrs, defaults);
  const std::span<const FieldInfo> fields = entry.attrs->fields;
  for (const bool needed : {true, false}) {
    for (size_t i = 0; i < entry.inputs.size(); ++i) {
      if (entry.inputs[i].variadic) all_plain = false;
      if (entry.inputs[i].optional != needed) add(entry.inputs[i].name, true, i);
    }
    for (size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].required != needed) continue;
      add(fields[i].name, false, i);
      if (!needed) continue;
      needs_attrs = true;
      const bool is_list =
          (fields[i].type == FieldType::kShape && !is_one_size(fields[i], defaults)) ||
          fields[i].type == FieldType::kInts;
      if (is_list && gathers < 0) gathers = static_cast<int>(parameters.size()) - 1;
    }
  }
  // Where more integers may follow (split's axis), bare ones would be taken for them.
  for (size_t i = static_cast<size_t>(gathers + 1); gathers >= 0 && i < parameters.size(); ++i) {
    if (parameters[i].is_input) continue;
    const FieldType type = fields[parameters[i].index].type;
    if (type == FieldType::kInt || type == FieldType::kInts) gathers = -1;
  }
  WEFT_ASSERT(parameters.size() <= kMaxParameters, entry.name, " has too many parameters");
}

Signature::~Signature() {
  entry.attrs->destroy(defaults);
  ::operator delete(defaults, std::align_val_t(std::max<size_t>(entry.attrs->align, 16)));
  for (const Parameter& p : parameters) Py_DECREF(p.name);
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
  const FieldInfo* to = &type.fields[field];
  Ref row;
  if (const FieldInfo* const word = word_field(type, *to)) {  // the padding of a convolution
    if (PyUnicode_Check(value)) to = word;
    if (is_list_of_pairs(value)) {
      row = in_a_row(value, {signature_.entry.name, to->name});
      value = row.get();
    }
  }
  set_field(*to, data_, value, signature_.entry.name);
}

void bind_arguments(const Signature& s, PyObject* const* args, size_t count, PyObject* keywords,
                    BoundInputs& inputs, BoundAttrs& attrs) {
  PyObject* slots[kMaxParameters] = {};
  const Ref tuple = gathered(s, args, count);
  const size_t placed = tuple ? static_cast<size_t>(s.gathers) : count;
  if (placed > s.parameters.size()) fail_count(s, count);
  for (size_t i = 0; i < placed; ++i) slots[i] = args[i];
  if (tuple) slots[placed] = tuple.get();
  if (keywords != nullptr) place_keywords(s, args + count, keywords, slots);
  bind_slots(s, slots, inputs, attrs);
}

}  // namespace weft::python
