// Ops defined in Python: definitions live for the process, rules take the GIL and call back.
#include "bindings/user_op.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "bindings/from_python.h"
#include "bindings/gil.h"
#include "bindings/op_function.h"
#include "bindings/tensor_object.h"
#include "weft/base/error.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

constexpr size_t kMaxAttributes = 6;

// Room for an attribute of any type a user may choose.
struct AttributeSlot {
  bool boolean = false;
  int64_t integer = 0;
  double real = 0;
  std::string string;
  Ints integers;
};

struct UserOp;
struct UserAttrs {
  const UserOp* op = nullptr;
  std::array<AttributeSlot, kMaxAttributes> slots;
};

// The type of a user op's attributes, which finds the op it belongs to.
struct UserAttrsType {
  AttrsType type{};  // first: an AttrsType* of a user op points to one of these
  const UserOp* op = nullptr;
};

// Everything that the registry's views point into: made once, kept for the process.
struct UserOp {
  std::string name, module, doc, batch_reason, grad_reason;
  std::vector<std::string> inputs, outputs, field_names, field_docs;
  std::vector<FieldInfo> fields;
  UserAttrsType attrs;
  UserAttrs defaults;
  PyObject* rules = nullptr;  // an object with methods run, compose, infer, vjp, jvp
  std::vector<const OpDef*> ops;
  std::vector<const CompositeDef*> composites;
  Family family;
};

const UserOp& op_of(const void* attrs) {
  const UserOp* const op = static_cast<const UserAttrs*>(attrs)->op;
  WEFT_ASSERT(op != nullptr, "attributes of a user op without the op");
  return *op;
}

template <size_t I>
void* address(void* attrs, FieldType type) {
  AttributeSlot& slot = static_cast<UserAttrs*>(attrs)->slots[I];
  switch (type) {
    case FieldType::kBool: return &slot.boolean;
    case FieldType::kInt: return &slot.integer;
    case FieldType::kFloat: return &slot.real;
    case FieldType::kString: return &slot.string;
    default: return &slot.integers;
  }
}
template <size_t I, FieldType type>
void* address_of(void* attrs) {
  return address<I>(attrs, type);
}

using Address = void* (*)(void*);
template <FieldType type, size_t... I>
Address pick(size_t i, std::index_sequence<I...>) {
  constexpr Address table[] = {address_of<I, type>...};
  return table[i];
}
Address address_function(size_t i, FieldType type) {
  constexpr auto all = std::make_index_sequence<kMaxAttributes>();
  switch (type) {
    case FieldType::kBool: return pick<FieldType::kBool>(i, all);
    case FieldType::kInt: return pick<FieldType::kInt>(i, all);
    case FieldType::kFloat: return pick<FieldType::kFloat>(i, all);
    case FieldType::kString: return pick<FieldType::kString>(i, all);
    default: return pick<FieldType::kInts>(i, all);
  }
}

FieldType field_type(PyObject* value, const std::string& op, const std::string& name) {
  if (PyBool_Check(value)) return FieldType::kBool;
  if (PyLong_Check(value)) return FieldType::kInt;
  if (PyFloat_Check(value)) return FieldType::kFloat;
  if (PyUnicode_Check(value)) return FieldType::kString;
  if (PyTuple_Check(value) || PyList_Check(value)) return FieldType::kInts;
  fail(Code::kType, "define_op", "attribute", "op ", op, ": the default of attribute '", name,
       "' is ", type_name_of(value), "; it must be a bool, int, float, str or tuple of ints");
}

nb::dict attributes(const UserOp& op, const void* attrs) {
  nb::dict out;
  for (const FieldInfo& field : op.fields) {
    out[nb::str(field.name.data(), field.name.size())] = nb::steal(field_to_python(field, attrs));
  }
  return out;
}

nb::object tuple_of(TensorSpan tensors) {
  return nb::steal(wrap_all(Tensors(tensors.begin(), tensors.end())));
}

nb::object tuple_of(TypeSpan types) {
  nb::list out;
  for (const Type& type : types) {
    nb::list shape;
    for (Dim dim : type.shape) shape.append(dim.value());
    out.append(nb::make_tuple(nb::borrow(dtype_object(type.dtype)), nb::tuple(shape)));
  }
  return nb::tuple(out);
}

// Calls a rule; what Python raises stays pending, with a note that names the op.
template <class... Args>
nb::object call_rule(const UserOp& op, const char* rule, const Args&... args) {
  try {
    return nb::borrow(op.rules).attr(rule)(args...);
  } catch (nb::python_error& error) {
    error.restore();
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    const std::string note = text("in the rule '", rule, "' of the op ", op.name);
    if (Ref done(PyObject_CallMethod(value, "add_note", "s", note.c_str())); !done) PyErr_Clear();
    PyErr_Restore(type, value, trace);
    throw PendingError();
  }
}

Tensors tensors_from(const UserOp& op, const char* rule, const nb::object& result, size_t count) {
  if (!PyTuple_Check(result.ptr()) ||
      static_cast<size_t>(PyTuple_GET_SIZE(result.ptr())) != count) {
    fail(Code::kInvalid, op.name, "result", "its rule '", rule, "' must give ", count, " tensors");
  }
  Tensors out;
  for (size_t i = 0; i < count; ++i) {
    PyObject* const item = PyTuple_GET_ITEM(result.ptr(), static_cast<Py_ssize_t>(i));
    out.push_back(item == Py_None ? Tensor() : new_tensor(item, {}, {op.name, rule}));
  }
  return out;
}

Types user_infer(const void* attrs, const InferCtx&, TypeSpan in) {
  const UserOp& op = op_of(attrs);
  const WithGil gil;
  const nb::object result = call_rule(op, "infer", tuple_of(in), attributes(op, attrs));
  Types out;
  for (nb::handle item : result) {
    const Asker asker{op.name, "infer"};
    Type type{dtype_from(nb::object(item[0]).ptr(), asker), {}};
    for (int64_t extent : ints_from(nb::object(item[1]).ptr(), asker)) type.shape.push_back(extent);
    out.push_back(std::move(type));
  }
  return out;
}

Tensors user_run(const void* attrs, TensorSpan in, TypeSpan types) {
  const UserOp& op = op_of(attrs);
  const WithGil gil;
  Tensors out = tensors_from(
      op, "kernel", call_rule(op, "run", tuple_of(in), attributes(op, attrs)), types.size());
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i].defined() && out[i].type() == types[i]) continue;
    fail(Code::kInvalid, op.name, "infer", "its kernel gave ",
         out[i].defined() ? text(out[i].type()) : "None", " but its type is inferred as ", types[i],
         "; pass infer= to define_op, or convert in the kernel");
  }
  return out;
}

Tensors user_compose(const void* attrs, TensorSpan in) {
  const UserOp& op = op_of(attrs);
  const WithGil gil;
  return tensors_from(op, "compose", call_rule(op, "compose", tuple_of(in), attributes(op, attrs)),
                      op.outputs.size());
}

Tensors user_vjp(const void* attrs, const GradCtx& cx, TensorSpan cotangents) {
  const UserOp& op = op_of(attrs);
  const WithGil gil;
  return tensors_from(op, "vjp",
                      call_rule(op, "vjp", tuple_of(cotangents), tuple_of(cx.inputs),
                                tuple_of(cx.outputs), attributes(op, attrs)),
                      cx.inputs.size());
}

Tensors user_jvp(const void* attrs, const GradCtx& cx, TensorSpan tangents) {
  const UserOp& op = op_of(attrs);
  const WithGil gil;
  return tensors_from(op, "jvp",
                      call_rule(op, "jvp", tuple_of(tangents), tuple_of(cx.inputs),
                                tuple_of(cx.outputs), attributes(op, attrs)),
                      cx.outputs.size());
}

std::vector<std::string> strings(const nb::dict& spec, const char* key) {
  return nb::cast<std::vector<std::string>>(spec[key]);
}
std::string string(const nb::dict& spec, const char* key) {
  return nb::cast<std::string>(spec[key]);
}

ArgList arg_list(const std::vector<std::string>& texts) {
  ArgList out;
  if (texts.size() > out.items.size()) {
    fail(Code::kInvalid, "define_op", "count", "an op has at most ", out.items.size(),
         " inputs and outputs, but got ", texts.size(), "; pass a list of tensors instead");
  }
  for (size_t i = 0; i < texts.size(); ++i) out.items[i] = texts[i];
  return out;
}

void construct_empty(void* at) { new (at) UserAttrs; }

void read_fields(UserOp& op, const nb::list& fields) {
  if (fields.size() > kMaxAttributes) {
    fail(Code::kInvalid, "define_op", "attribute", "op ", op.name, " has ", fields.size(),
         " attributes; at most ", kMaxAttributes, " are possible");
  }
  for (nb::handle field : fields) op.field_names.push_back(nb::cast<std::string>(field[0]));
  for (size_t i = 0; i < op.field_names.size(); ++i) {
    const nb::object value = fields[i][1];
    const FieldType type = field_type(value.ptr(), op.name, op.field_names[i]);
    op.fields.push_back({op.field_names[i], "", type, false, address_function(i, type)});
    set_field(op.fields.back(), &op.defaults, value.ptr(), op.name);
  }
  op.defaults.op = &op;
  op.attrs.op = &op;
  op.attrs.type = {
      sizeof(UserAttrs),
      alignof(UserAttrs),
      op.fields,
      construct_empty,
      [](void* at, const void* from) { new (at) UserAttrs(*static_cast<const UserAttrs*>(from)); },
      [](void* at) { static_cast<UserAttrs*>(at)->~UserAttrs(); }};
}

GradRule grad_rule(const UserOp& op) {
  if (!op.grad_reason.empty()) return derive::not_differentiable(op.grad_reason);
  GradRule out(GradKind::kRules);
  out.vjp = {user_vjp};
  out.jvp = {user_jvp};
  return out;
}

void make_definition(UserOp& op, bool composite) {
  if (composite) {
    op.composites.push_back(new CompositeDef{.name = op.name,
                                             .module = op.module,
                                             .doc = op.doc,
                                             .inputs = arg_list(op.inputs),
                                             .outputs = arg_list(op.outputs),
                                             .attrs = &op.attrs.type,
                                             .laws = {},
                                             .compose = {user_compose},
                                             .known_as = {}});
  } else {
    op.ops.push_back(new OpDef{
        .name = op.name,
        .module = op.module,
        .doc = op.doc,
        .inputs = arg_list(op.inputs),
        .outputs = arg_list(op.outputs),
        .attrs = &op.attrs.type,
        .infer = {user_infer},
        .grad = grad_rule(op),
        .batch =
            op.batch_reason.empty() ? batch::broadcasting() : batch::per_example(op.batch_reason),
        .kernel = {.kind = KernelKind::kHost, .host = {user_run}},
    });
  }
  op.family = {op.name, op.ops, op.composites};
}

}  // namespace

void construct_defaults(const AttrsType& type, void* at) {
  if (type.construct != construct_empty) return type.construct(at);
  new (at) UserAttrs(reinterpret_cast<const UserAttrsType&>(type).op->defaults);
}

nb::object define_op(const nb::dict& spec) {
  auto owner = std::make_unique<UserOp>();
  UserOp& op = *owner;
  op.name = string(spec, "name");
  op.module = string(spec, "module");
  op.doc = string(spec, "doc");
  op.grad_reason = string(spec, "not_differentiable");
  op.batch_reason = string(spec, "per_example");
  op.inputs = strings(spec, "inputs");
  op.outputs = strings(spec, "outputs");
  read_fields(op, nb::cast<nb::list>(spec["fields"]));
  op.rules = nb::object(spec["rules"]).release().ptr();
  make_definition(op, nb::cast<bool>(spec["composite"]));
  register_family(op.family);
  owner.release();  // registered for the life of the process
  const std::string name = op.module.empty() ? op.name : text(op.module, '.', op.name);
  return nb::steal(make_op_function(*find_op(name)));
}

}  // namespace weft::python
