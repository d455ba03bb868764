// The Python type of op functions: binds a call, passes the door, wraps what comes out.
#include "bindings/op_function.h"

#include <structmember.h>

#include <algorithm>
#include <unordered_map>

#include "bindings/arguments.h"
#include "bindings/line.h"
#include "bindings/symbolic.h"
#include "bindings/tensor_object.h"
#include "weft/base/error.h"
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft::python {
namespace {

struct OpFunction {
  PyObject_HEAD vectorcallfunc vectorcall;
  const Signature* signature;
  PyObject* module;  // "weft", "weft.nn"
  PyObject* weak_references;
};
PyTypeObject* op_function_type = nullptr;

const OpFunction& function_of(PyObject* object) { return *reinterpret_cast<OpFunction*>(object); }
const OpEntry& entry_in(PyObject* object) { return function_of(object).signature->entry; }

// About how long the op runs, in nanoseconds: what decides whether the GIL is released.
int64_t estimated_work(const OpEntry& entry, TensorSpan in, const void* attrs) {
  int64_t elements = 0;
  for (const Tensor& t : in) {
    if (!t.defined()) continue;
    int64_t count = 1;
    for (const Dim dim : t.shape()) count *= dim.is_known() ? dim.value() : 1;
    elements += count;
  }
  if (entry.op != nullptr && entry.op->kernel.kind == KernelKind::kElementwise) {
    return elements / 4;
  }
  for (const FieldInfo& field : entry.attrs->fields) {
    if (field.type != FieldType::kShape) continue;
    int64_t count = 1;
    for (Dim dim : *static_cast<const Shape*>(field.in(attrs))) {
      if (!dim.is_known() || __builtin_mul_overflow(count, dim.value(), &count)) count = INT64_MAX;
    }
    elements = std::max(elements, count);
  }
  if (in.size() >= 2 && entry.name == "matmul" && in[0].rank() > 0 && in[0].dim(-1).is_known()) {
    return elements / 16 * in[0].dim(-1).value();
  }
  return elements;
}
constexpr int64_t kReleaseAbove = 20'000;

// "with a: float32[3, 4], b: float32[3], axis=1": what the op was called with.
std::string call_text(const OpEntry& entry, TensorSpan in, const void* attrs) {
  constexpr size_t kMostShown = 8;
  std::string out;
  const auto add = [&](const auto&... pieces) {
    out += text(out.empty() ? "with " : ", ", pieces...);
  };
  for (size_t i = 0; i < in.size() && i < kMostShown; ++i) {
    const size_t last = entry.inputs.size() - 1;
    const ArgSpec& spec = entry.inputs[std::min(i, last)];
    if (!in[i].defined()) continue;
    const std::string name =
        spec.variadic ? text(spec.name, "[", i - last, "]") : std::string(spec.name);
    add(name, ": ", in[i].dtype(), in[i].shape());
  }
  if (in.size() > kMostShown) add("...");
  if (in.empty() && !entry.inputs.empty()) add(entry.inputs[0].name, ": none");
  const std::string fields = print_attrs(*entry.attrs, attrs);
  if (!fields.empty()) add(fields);
  return out;
}

// Errors name the op that the user called and what it was called with: those of shared machinery
// ("size: 2^40 * 2^40 does not fit") are given its name, those of an op inside it are told where
// they came from.
[[noreturn]] void rethrow_named(const Error& error, const OpEntry& entry, TensorSpan in,
                                const void* attrs) {
  const std::string name = entry.qualified_name();
  Error named = error;
  if (error.op != entry.name && error.op != name && find_op(error.op) == nullptr) {
    named =
        Error(error.code, std::string(entry.name), error.law, text(error.op, ": ", error.message));
    named.notes = error.notes;
  } else if (error.op != entry.name && error.op != name) {
    const std::string note = text("in ", name);
    if (named.notes.empty() || named.notes.back() != note) named.note(note);
  }
  // apply has described the call of an op already.
  const std::string description = text("in ", entry.name, "(");
  const bool is_described = std::ranges::any_of(
      named.notes, [&](const std::string& note) { return note.starts_with(description); });
  const std::string called = is_described ? "" : call_text(entry, in, attrs);
  if (!called.empty()) named.note(called);
  throw named;
}

bool has_one_output(const OpEntry& entry) {
  return entry.outputs.size() == 1 && !entry.outputs[0].variadic;
}

Tensors run_all(const OpEntry& entry, TensorSpan in, const void* attrs) {
  const Where where = line_if_traced(in);
  const WithoutGil scope(estimated_work(entry, in, attrs) > kReleaseAbove);
  return entry.op != nullptr ? apply_all(*entry.op, in, attrs, where)
                             : compose_all(*entry.composite, in, attrs, where);
}

Tensor run_one(const OpEntry& entry, TensorSpan in, const void* attrs) {
  const Where where = line_if_traced(in);
  const WithoutGil scope(estimated_work(entry, in, attrs) > kReleaseAbove);
  return apply_one(*entry.op, in, attrs, where);
}

// A number as a language scalar; undefined if it is none, or an integer beyond int64.
Tensor plain_scalar(PyObject* object) {
  if (PyFloat_CheckExact(object)) return Tensor(PyFloat_AS_DOUBLE(object));
  if (!PyLong_CheckExact(object)) return {};
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0 ? Tensor(value) : Tensor();
}

// A call of tensors and numbers alone, the common case: nothing is looked up. Null if it is not
// that simple.
constexpr size_t kMostPlain = 6;
PyObject* call_plainly(const Signature& s, PyObject* const* args, size_t count) {
  TensorNode* nodes[kMostPlain];
  Tensor held[kMostPlain];  // numbers, and what a Variable holds now: it may change meanwhile
  for (size_t i = 0; i < count; ++i) {
    if (Py_TYPE(args[i]) == tensor_type) {
      nodes[i] = tensor_of(args[i]).node();
      continue;
    }
    held[i] = is_variable(args[i]) ? tensor_of(args[i]) : plain_scalar(args[i]);
    if (!held[i].defined()) return nullptr;
    nodes[i] = held[i].node();
  }
  return call_op(s.entry, {reinterpret_cast<const Tensor*>(nodes), count}, s.defaults);
}

// where(condition), as NumPy has it: nonzero(condition).
PyObject* indices_where(PyObject* condition) {
  BoundInputs inputs;
  inputs.own(tensor_from(condition, {"where", "condition"}));
  return call_op(*find_op("nonzero"), inputs.span(), &kNoAttrs);
}

PyObject* call_bound(const Signature& s, PyObject* const* args, size_t count, PyObject* keywords) {
  if (keywords == nullptr && count == s.entry.inputs.size() && count > 0 && count <= kMostPlain &&
      s.all_plain && !s.needs_attrs) {
    if (PyObject* const out = call_plainly(s, args, count)) return out;
    if (PyErr_Occurred()) return nullptr;
  }
  if (count == 1 && keywords == nullptr && s.entry.op == &kWhere) return indices_where(args[0]);
  BoundInputs inputs;
  BoundAttrs attrs(s);
  bind_arguments(s, args, count, keywords, inputs, attrs);
  return call_op(s.entry, inputs.span(), attrs.get());
}

PyObject* op_call(PyObject* self, PyObject* const* args, size_t flags, PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    const size_t count = static_cast<size_t>(PyVectorcall_NARGS(flags));
    try {
      return call_bound(*function_of(self).signature, args, count, keywords);
    } catch (const Error&) {  // looked for only now: calls of tensors pay nothing for it
      const size_t named =
          keywords == nullptr ? 0 : static_cast<size_t>(PyTuple_GET_SIZE(keywords));
      PyObject* const symbol = find_symbol(args, count + named);
      if (symbol == nullptr) throw;
      return note_call(symbol, self, args, count, keywords);
    }
  });
}

PyObject* op_bind(PyObject* self, PyObject* object, PyObject*) {
  return object == nullptr || object == Py_None ? Py_NewRef(self) : PyMethod_New(self, object);
}

PyObject* op_repr(PyObject* self) {
  return PyUnicode_FromFormat("<weft op %s>", entry_in(self).qualified_name().c_str());
}
PyObject* op_name(PyObject* self, void*) { return to_python(entry_in(self).name); }
PyObject* op_qualified_name(PyObject* self, void*) {
  return to_python(entry_in(self).qualified_name());
}

// inspect.Signature and the text of __doc__ are made by the package, on demand.
PyObject* from_package(PyObject* self, const char* maker) {
  const Ref module(PyImport_ImportModule("weft._signatures"));
  if (!module) return nullptr;
  const Ref name(to_python(entry_in(self).qualified_name()));
  return name ? PyObject_CallMethod(module.get(), maker, "O", name.get()) : nullptr;
}
PyObject* op_signature(PyObject* self, void*) { return from_package(self, "signature_of"); }
PyObject* op_doc(PyObject* self, void*) { return from_package(self, "doc_of"); }

// Pickled by name: an op is found again in its module.
PyObject* op_reduce(PyObject* self, PyObject*) {
  const Ref module(PyImport_ImportModule("weft._ops"));
  if (!module) return nullptr;
  const Ref find(PyObject_GetAttrString(module.get(), "op"));
  const Ref space(to_python(entry_in(self).module)), name(to_python(entry_in(self).name));
  if (!find || !space || !name) return nullptr;
  return Py_BuildValue("O(OO)", find.get(), space.get(), name.get());
}

void op_free(PyObject* self) {
  OpFunction* const function = reinterpret_cast<OpFunction*>(self);
  if (function->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  Py_XDECREF(function->module);
  delete function->signature;
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyGetSetDef getters[] = {{"__name__", op_name, nullptr, nullptr, nullptr},
                         {"__qualname__", op_qualified_name, nullptr, nullptr, nullptr},
                         {"__doc__", op_doc, nullptr, nullptr, nullptr},
                         {"__signature__", op_signature, nullptr, nullptr, nullptr},
                         {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OpFunction, vectorcall), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(OpFunction, weak_references), READONLY, nullptr},
    {"__module__", T_OBJECT, offsetof(OpFunction, module), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyMethodDef methods[] = {{"__reduce__", op_reduce, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};

template <class Function>
void* slot(Function function) {
  return reinterpret_cast<void*>(function);
}

// Outputs that have names, as a namedtuple: (values, indices). Called with the GIL held.
PyObject* wrap_named(const OpEntry& entry, Tensors&& tensors) {
  static std::unordered_map<const OpEntry*, PyObject*> types;
  Ref items(wrap_all(std::move(tensors)));
  const bool is_list = std::any_of(entry.outputs.begin(), entry.outputs.end(),
                                   [](const ArgSpec& output) { return output.variadic; });
  if (is_list || entry.name.find('.') != entry.name.npos) return items.give_up();
  PyObject*& type = types[&entry];
  if (type == nullptr) {
    Ref names = checked(PyList_New(0));
    for (const ArgSpec& output : entry.outputs) {
      const Ref name(to_python(std::string(output.name)));
      checked(PyList_Append(names.get(), name.get()));
    }
    const Ref collections = checked(PyImport_ImportModule("collections"));
    type = checked(PyObject_CallMethod(collections.get(), "namedtuple", "sO",
                                       std::string(entry.name).c_str(), names.get()))
               .give_up();
  }
  return checked(PyObject_CallObject(type, items.get())).give_up();
}

}  // namespace

PyObject* call_op(const OpEntry& entry, TensorSpan in, const void* attrs) {
  try {
    if (entry.op != nullptr && has_one_output(entry)) return wrap(run_one(entry, in, attrs));
    Tensors out = run_all(entry, in, attrs);
    return has_one_output(entry) ? wrap(std::move(out[0])) : wrap_named(entry, std::move(out));
  } catch (const Error& error) {
    rethrow_named(error, entry, in, attrs);
  }
}

void add_op_function_type(PyObject* module) {
  PyType_Slot slots[] = {{Py_tp_dealloc, slot(op_free)},   {Py_tp_call, slot(PyVectorcall_Call)},
                         {Py_tp_descr_get, slot(op_bind)}, {Py_tp_repr, slot(op_repr)},
                         {Py_tp_getset, getters},          {Py_tp_members, members},
                         {Py_tp_methods, methods},         {0, nullptr}};
  PyType_Spec spec{"weft._core.OpFunction", sizeof(OpFunction), 0,
                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR |
                       Py_TPFLAGS_DISALLOW_INSTANTIATION,
                   slots};
  op_function_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)).give_up());
  checked(
      PyModule_AddObjectRef(module, "OpFunction", reinterpret_cast<PyObject*>(op_function_type)));
}

PyObject* make_op_function(const OpEntry& entry) {
  OpFunction* const function = PyObject_New(OpFunction, op_function_type);
  checked(function == nullptr ? -1 : 0);
  function->vectorcall = op_call;
  function->signature = nullptr;
  function->weak_references = nullptr;
  function->module = nullptr;
  Ref owner(reinterpret_cast<PyObject*>(function));
  function->signature = new Signature(entry);
  function->module =
      to_python(entry.module.empty() ? std::string("weft") : text("weft.", entry.module));
  return owner.give_up();
}

const OpEntry* entry_of_function(PyObject* object) {
  return Py_TYPE(object) == op_function_type ? &entry_in(object) : nullptr;
}

}  // namespace weft::python
