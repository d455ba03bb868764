// weft.Variable: construction, assignment, gradient.
#include "bindings/variable_object.h"

#include <optional>
#include <unordered_map>
#include <vector>

#include "bindings/dtype_object.h"
#include "bindings/from_python.h"
#include "bindings/gil.h"
#include "bindings/line.h"
#include "bindings/value.h"
#include "weft/base/error.h"
#include "weft/op/builtin.h"
#include "weft/op/record.h"
#include "weft/op/variable_state.h"
#include "weft/runtime/graph.h"

namespace weft::python {

PyTypeObject* variable_type = nullptr;

namespace {

using HookFunctions = std::vector<std::shared_ptr<HookFunction>>;

struct VariableObject {
  TensorObject tensor;
  Variable variable;
  HookFunctions hooks;
};

// The object of each Variable that has one, so that a Variable comes back as the object it was.
std::unordered_map<const void*, PyObject*>& objects() {
  static auto* const all = new std::unordered_map<const void*, PyObject*>;
  return *all;
}

VariableObject* new_object(PyTypeObject* type) {
  VariableObject* const object =
      reinterpret_cast<VariableObject*>(checked(type->tp_alloc(type, 0)).give_up());
  new (&object->tensor.value) Tensor;
  new (&object->variable) Variable;
  new (&object->hooks) HookFunctions;
  object->tensor.weak_references = nullptr;
  return object;
}

// The graph that is open here, if it is one that people run.
Staging* open_graph() {
  Staging* const staging = innermost_staging();
  return staging != nullptr && staging->kind() == Staging::Kind::kGraph ? staging : nullptr;
}

// One that is made where a graph is open is a Variable of that graph.
Variable made_variable(const Tensor& value, const VariableOptions& options, Where where) {
  if (Staging* const graph = open_graph()) {
    return Graph(graph->shared()).variable(value, options, where);
  }
  return Variable(value, options, where);
}

PyObject* variable_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    if (keywords != nullptr && PyDict_GetItemString(keywords, "requires_grad") != nullptr) {
      fail(Code::kType, "Variable", "keyword",
           "has no argument 'requires_grad'; weft calls this trainable");
    }
    static const char* const names[] = {"value", "name", "trainable", "dtype", nullptr};
    PyObject *value = nullptr, *name = Py_None, *dtype = Py_None;
    int trainable = 1;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|OpO:Variable", const_cast<char**>(names),
                                     &value, &name, &trainable, &dtype)) {
      return nullptr;
    }
    std::optional<DType> wanted;
    if (dtype != Py_None) wanted = dtype_from(dtype, {"Variable", "dtype"});
    const Tensor given = is_tensor(value) && !wanted
                             ? tensor_of(value)
                             : new_tensor(value, wanted, {"Variable", "value"});
    if (name != Py_None && !PyUnicode_Check(name)) {
      fail(Code::kType, "Variable", "argument", "name must be a string, but got ",
           short_repr(name));
    }
    VariableOptions options;
    if (name != Py_None) options.name = text_of(name);
    options.trainable = trainable != 0;
    Variable variable = made_variable(given, options, python_line());
    VariableObject* const object = new_object(type);
    object->variable = std::move(variable);
    PyObject* const out = reinterpret_cast<PyObject*>(object);
    objects()[object->variable.id()] = out;
    return out;
  });
}

void variable_free(PyObject* self) {
  PyObject_GC_UnTrack(self);
  VariableObject* const object = reinterpret_cast<VariableObject*>(self);
  objects().erase(object->variable.id());
  if (object->tensor.weak_references != nullptr) PyObject_ClearWeakRefs(self);
  object->tensor.value.~Tensor();
  object->variable.~Variable();
  object->hooks.~HookFunctions();
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

int variable_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  for (const auto& hook : reinterpret_cast<VariableObject*>(self)->hooks) Py_VISIT(hook->function);
  return 0;
}

int variable_clear(PyObject* self) {
  const HookFunctions hooks = std::move(reinterpret_cast<VariableObject*>(self)->hooks);
  for (const auto& hook : hooks) Py_CLEAR(hook->function);
  return 0;
}

// Does anything but the Python object hold the Variable, or the record of a read of it? An
// optimizer, a graph, a loss that is still to be differentiated.
bool is_held_elsewhere(const VariableObject& object) {
  auto* const state = static_cast<VariableState*>(const_cast<void*>(object.variable.id()));
  if (state->refs.load_acquire() > 1) return true;
  const std::unique_lock lock(state->mutex, std::try_to_lock);
  if (!lock) return true;
  if (!state->leaf.defined()) return false;
  const TensorNode* const leaf = state->leaf.node();
  const uint32_t own = object.tensor.value.defined() && object.tensor.value.node() == leaf ? 2 : 1;
  return leaf->refs.load_acquire() > own || grad_node(state->leaf)->links.load_acquire() > 1;
}

// The object is garbage. If its Variable is not, the hooks stay: they are no longer shown to the
// collector, which therefore finds their functions alive.
void variable_finalize(PyObject* self) {
  VariableObject* const object = reinterpret_cast<VariableObject*>(self);
  if (!object->hooks.empty() && is_held_elsewhere(*object)) object->hooks.clear();
}

// What is stored: of the Variable's dtype, if a Python number or list is given.
Tensor value_for(const Variable& variable, PyObject* object, std::string_view who) {
  if (PyList_Check(object) || PyTuple_Check(object)) {
    return new_tensor(object, variable.dtype(), {who, "value"});
  }
  const Tensor given = tensor_from(object, {who, "value"});
  if (!given.is_weak()) return given;
  if (kind_of(given.dtype()) > kind_of(variable.dtype())) {
    fail(Code::kType, who, "type", "value is ", short_repr(object), ", but the Variable",
         variable.name().empty() ? "" : " ", variable.name(), " holds ", variable.dtype(),
         ", which cannot hold it; a Variable keeps its dtype");
  }
  std::optional<EagerScope> now;  // a number is a constant of the graph, not three ops
  if (given.is_concrete()) now.emplace();
  return cast(add(zeros({}, variable.dtype()), given), variable.dtype());
}

// The graph that an assignment becomes part of: the open one, or that of the value.
Staging* graph_of_assignment(const Tensor& value) {
  if (innermost_staging() != nullptr || context.scope != nullptr) return open_graph();
  Staging* const home = staging_of(value);
  return home != nullptr && home->kind() == Staging::Kind::kGraph ? home : nullptr;
}

// An assignment that is done now, and the same as part of a graph.
struct Assignment {
  void (Variable::*now)(const Tensor&, Where) const;
  Tensor (Graph::*later)(const Variable&, const Tensor&, Where) const;
};
constexpr Assignment kAssign{&Variable::assign, &Graph::assign};
constexpr Assignment kAssignAdd{&Variable::assign_add, &Graph::assign_add};
constexpr Assignment kAssignSub{&Variable::assign_sub, &Graph::assign_sub};

// Gives the Variable; in a graph the new value, to be fetched.
PyObject* assigned(PyObject* self, const Tensor& value, const Assignment& how) {
  const Variable& variable = variable_of(self);
  // The Variable's own value must not be held while it is written to.
  reinterpret_cast<TensorObject*>(self)->value = Tensor();
  if (Staging* const graph = graph_of_assignment(value)) {
    const Graph in(graph->shared());
    return wrap((in.*how.later)(variable, value, python_line()));
  }
  (variable.*how.now)(value, python_line());
  return Py_NewRef(self);
}

template <const Assignment& how>
PyObject* assign_by(PyObject* self, PyObject* value) {
  return guarded(
      [&] { return assigned(self, value_for(variable_of(self), value, "assign"), how); });
}

// v += x reads as if it were followed, and is not: it raises where a gradient of x would be lost.
void require_no_history(PyObject* other, std::string_view sign) {
  if (!is_tensor(other) || open_graph() != nullptr || !is_followed(tensor_of(other))) return;
  fail(Code::kInvalid, "Variable", "history", "v ", sign,
       "= x stores a value and cuts its history, but x (", tensor_of(other).type(),
       ") is followed, and its gradient would be lost; write v = v ", sign,
       " x for a value that is followed too, or v ", sign,
       "= x.detach() to store the value alone, as no_grad does");
}

// v stays the Variable, in a graph, too.
PyObject* itself(PyObject* self, PyObject* given) {
  const Ref result(given);
  return result ? Py_NewRef(self) : nullptr;
}

template <const Assignment& how>
PyObject* assign_in_place(PyObject* self, PyObject* other, std::string_view sign) {
  if (guarded_status([&] { require_no_history(other, sign); }) < 0) return nullptr;
  return itself(self, assign_by<how>(self, other));
}

// v *= x and its like: the Variable takes the result of v * x, which is not recorded. In a graph v
// is read when it runs.
using BinaryFunction = PyObject* (*)(PyObject*, PyObject*);
struct Sign {
  char text[3] = {};
  template <size_t N>
  consteval Sign(const char (&from)[N]) {  // NOLINT: a literal is a sign
    for (size_t i = 0; i < N; ++i) text[i] = from[i];
  }
};
PyObject* assign_whole(PyObject* self, PyObject* value);

PyObject* assign_result(PyObject* self, PyObject* other, std::string_view sign,
                        BinaryFunction function) {
  if (guarded_status([&] { require_no_history(other, sign); }) < 0) return nullptr;
  const Ref now(guarded([&] {
    const Variable& variable = variable_of(self);
    return wrap(innermost_staging() != nullptr ? variable.read() : variable.value());
  }));
  if (!now) return nullptr;
  const Ref result(function(now.get(), other));
  return result ? itself(self, assign_whole(self, result.get())) : nullptr;
}
PyObject* assign_power(PyObject* self, PyObject* other, PyObject*) {
  return assign_result(self, other, "**",
                       [](PyObject* a, PyObject* b) { return PyNumber_Power(a, b, Py_None); });
}
PyObject* assign_sum(PyObject* self, PyObject* other) {
  return assign_in_place<kAssignAdd>(self, other, "+");
}
PyObject* assign_difference(PyObject* self, PyObject* other) {
  return assign_in_place<kAssignSub>(self, other, "-");
}
// A slot for the operator that is written so.
template <Sign sign, BinaryFunction function>
PyObject* assign_result_of(PyObject* self, PyObject* other) {
  return assign_result(self, other, sign.text, function);
}

PyObject* assign_whole(PyObject* self, PyObject* value) {
  return guarded([&] {
    const Variable& variable = variable_of(self);
    Tensor given = value_for(variable, value, "assign");
    if (given.rank() == 0 && !variable.shape().empty() && !is_tensor(value)) {
      given = broadcast_to(given, variable.shape());
    }
    return assigned(self, given, kAssign);
  });
}

PyObject* zero(PyObject* self, PyObject*) {
  return guarded([&] {
    variable_of(self).zero();
    return Py_NewRef(self);
  });
}

// A node that reads it has the line of the caller.
Tensor value_read(const Variable& variable) {
  std::optional<CalledFrom> caller;
  if (innermost_staging() != nullptr) caller.emplace(python_line());
  return variable.read();
}

PyObject* read(PyObject* self, PyObject*) {
  return guarded([&] { return wrap(value_read(variable_of(self))); });
}
PyObject* detach(PyObject* self, PyObject*) {
  return guarded([&] {
    std::optional<CalledFrom> caller;
    if (innermost_staging() != nullptr) caller.emplace(python_line());
    return wrap(variable_of(self).value());
  });
}

PyObject* get_name(PyObject* self, void*) {
  return guarded([&] { return to_python(variable_of(self).name()); });
}
PyObject* get_trainable(PyObject* self, void*) {
  return guarded([&] { return PyBool_FromLong(variable_of(self).trainable()); });
}
int set_trainable(PyObject* self, PyObject* value, void* name) {
  return guarded_status([&] {
    if (value == nullptr || !PyBool_Check(value)) {
      fail(Code::kType, "Variable", "argument", static_cast<const char*>(name),
           " must be True or False, but got ", value == nullptr ? "nothing" : short_repr(value));
    }
    variable_of(self).set_trainable(value == Py_True);
  });
}
PyObject* get_requires_grad(PyObject* self, void*) {
  return guarded([&] {
    const Variable& variable = variable_of(self);
    return PyBool_FromLong(variable.trainable() && is_differentiable(variable.dtype()));
  });
}
int set_requires_grad(PyObject* self, PyObject* value, void* name) {
  return guarded_status([&] {
    const DType dtype = variable_of(self).dtype();
    if (value == Py_True && !is_differentiable(dtype)) {
      fail(Code::kType, "Variable", "dtype", "the Variable has dtype ", dtype,
           ", which has no derivatives; make one of a floating dtype");
    }
    if (set_trainable(self, value, name) != 0) throw PendingError();
  });
}
PyObject* get_grad(PyObject* self, void*) {
  return guarded([&] {
    Variable gradient = variable_of(self).grad();
    return gradient.defined() ? wrap_variable(std::move(gradient)) : Py_NewRef(Py_None);
  });
}
int set_grad(PyObject* self, PyObject* value, void*) {
  return guarded_status([&] {
    if (value == nullptr || value == Py_None) return variable_of(self).clear_grad();
    variable_of(self).set_grad(tensor_from(value, {"Variable", "grad"}));
  });
}

PyObject* variable_repr(PyObject* self) {
  return guarded([&] {
    const Variable& variable = variable_of(self);
    std::string value = to_string(weft::stored_value(variable));
    const std::string_view prefix = "tensor(";
    if (value.starts_with(prefix)) value.erase(0, prefix.size());
    const std::string name = variable.name().empty() ? "" : text("'", variable.name(), "', ");
    return to_python(text("Variable(", name, value));
  });
}

PyMethodDef methods[] = {
    {"assign", assign_whole, METH_O,
     "Stores a value of the same dtype and shape. In a graph: the new value, which is stored when "
     "it is fetched."},
    {"copy_", assign_whole, METH_O, "Stores a value of the same dtype and shape."},
    {"assign_add", assign_by<kAssignAdd>, METH_O, "Adds to the value."},
    {"assign_sub", assign_by<kAssignSub>, METH_O, "Subtracts from the value."},
    {"zero_", zero, METH_NOARGS, "Sets every element to 0."},
    {"read", read, METH_NOARGS,
     "The value now, as a tensor: tapes follow it, graphs read it when they run."},
    {"detach", detach, METH_NOARGS,
     "The value now, in a traced function at each call; nothing done with it is recorded."},
    {"value", detach, METH_NOARGS,
     "The value now, in a traced function at each call; nothing done with it is recorded."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef getters[] = {
    {"name", get_name, nullptr, "The name given, or ''.", nullptr},
    {"trainable", get_trainable, set_trainable,
     "Does the tape follow it, if its dtype has derivatives? Set it to freeze the Variable.",
     const_cast<char*>("trainable")},
    {"requires_grad", get_requires_grad, set_requires_grad,
     "Does the tape follow it? It does if it is trainable and its dtype has derivatives.",
     const_cast<char*>("requires_grad")},
    {"grad", get_grad, set_grad,
     "The gradient that backward() has added up, a Variable; None before.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

template <class Function>
void* slot(Function function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

void read_variable(PyObject* object) {
  VariableObject* const self = reinterpret_cast<VariableObject*>(object);
  if (!self->variable.reads_as(self->tensor.value)) self->tensor.value = value_read(self->variable);
}

void forget_values(std::span<const Variable> variables) {
  for (const Variable& variable : variables) {
    const auto found = objects().find(variable.id());
    if (found != objects().end()) reinterpret_cast<TensorObject*>(found->second)->value = Tensor();
  }
}

const Variable& variable_of(PyObject* object) {
  return reinterpret_cast<VariableObject*>(object)->variable;
}

HookFunction::~HookFunction() {
  if (function == nullptr) return;
  const WithGil gil;
  Py_CLEAR(function);
}

void show_to_collector(PyObject* variable, std::shared_ptr<HookFunction> function) {
  HookFunctions& hooks = reinterpret_cast<VariableObject*>(variable)->hooks;
  std::erase_if(hooks, [](const auto& hook) { return hook->function == nullptr; });
  hooks.push_back(std::move(function));
}

Tensor stored_value(PyObject* object, Asker asker) {
  if (is_variable(object) && open_graph() != nullptr) return variable_of(object).value();
  return tensor_in(object, asker);
}

PyObject* wrap_variable(Variable variable) {
  if (const auto known = objects().find(variable.id()); known != objects().end()) {
    return Py_NewRef(known->second);
  }
  VariableObject* const object = new_object(variable_type);
  object->variable = std::move(variable);
  return objects()[object->variable.id()] = reinterpret_cast<PyObject*>(object);
}

void add_variable_type(PyObject* module) {
  PyType_Slot slots[] = {
      {Py_tp_dealloc, slot(variable_free)},
      {Py_tp_traverse, slot(variable_traverse)},
      {Py_tp_clear, slot(variable_clear)},
      {Py_tp_finalize, slot(variable_finalize)},
      {Py_tp_new, slot(variable_new)},
      {Py_tp_repr, slot(variable_repr)},
      {Py_tp_methods, methods},
      {Py_tp_getset, getters},
      {Py_nb_inplace_add, slot(assign_sum)},
      {Py_nb_inplace_subtract, slot(assign_difference)},
      {Py_nb_inplace_multiply, slot(assign_result_of<"*", PyNumber_Multiply>)},
      {Py_nb_inplace_true_divide, slot(assign_result_of<"/", PyNumber_TrueDivide>)},
      {Py_nb_inplace_floor_divide, slot(assign_result_of<"//", PyNumber_FloorDivide>)},
      {Py_nb_inplace_remainder, slot(assign_result_of<"%", PyNumber_Remainder>)},
      {Py_nb_inplace_matrix_multiply, slot(assign_result_of<"@", PyNumber_MatrixMultiply>)},
      {Py_nb_inplace_and, slot(assign_result_of<"&", PyNumber_And>)},
      {Py_nb_inplace_or, slot(assign_result_of<"|", PyNumber_Or>)},
      {Py_nb_inplace_xor, slot(assign_result_of<"^", PyNumber_Xor>)},
      {Py_nb_inplace_lshift, slot(assign_result_of<"<<", PyNumber_Lshift>)},
      {Py_nb_inplace_rshift, slot(assign_result_of<">>", PyNumber_Rshift>)},
      {Py_nb_inplace_power, slot(assign_power)},
      {Py_tp_doc,
       const_cast<char*>(
           "Variable(value, name=None, trainable=True, dtype=None)\n\nA place that holds "
           "a tensor: the one thing that can be assigned to, and what backward() "
           "differentiates with respect to.")},
      {0, nullptr}};
  PyType_Spec spec{"weft.Variable", sizeof(VariableObject), 0,
                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
  const Ref bases = checked(PyTuple_Pack(1, tensor_type));
  variable_type = reinterpret_cast<PyTypeObject*>(
      checked(PyType_FromSpecWithBases(&spec, bases.get())).give_up());
  checked(PyModule_AddObjectRef(module, "Variable", reinterpret_cast<PyObject*>(variable_type)));
}

}  // namespace weft::python
