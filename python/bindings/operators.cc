// The operators of weft.Tensor, each straight to its op.
#include <array>

#include "bindings/from_python.h"
#include "bindings/op_function.h"
#include "bindings/tensor_object.h"
#include "weft/op/levels.h"

namespace weft::python {
namespace {

enum class Op : uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kFloorDivide,
  kRemainder,
  kPow,
  kMatmul,
  kLeftShift,
  kRightShift,
  kAnd,
  kOr,
  kXor,
  kNegative,
  kAbs,
  kInvert,
  kLess,
  kLessEqual,
  kEqual,
  kNotEqual,
  kGreater,
  kGreaterEqual,
  kCount,
};
constexpr std::array<std::string_view, static_cast<size_t>(Op::kCount)> kNames = {
    "add",
    "subtract",
    "multiply",
    "divide",
    "floor_divide",
    "remainder",
    "pow",
    "matmul",
    "bitwise_left_shift",
    "bitwise_right_shift",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "negative",
    "abs",
    "bitwise_invert",
    "less",
    "less_equal",
    "equal",
    "not_equal",
    "greater",
    "greater_equal",
};
std::array<const OpEntry*, kNames.size()> entries{};

PyObject* not_implemented() { return Py_NewRef(Py_NotImplemented); }

// `a + b` where one side is no tensor.
PyObject* converted_binary(const OpEntry& entry, PyObject* a, PyObject* b) {
  if (!may_be_operand(a) || !may_be_operand(b)) return not_implemented();
  const Tensor left = tensor_from(a, {entry.name, entry.inputs[0].name});
  const Tensor right = tensor_from(b, {entry.name, entry.inputs[1].name});
  return call_op(entry, inputs(left, right), &kNoAttrs);
}

PyObject* call_binary(Op op, PyObject* a, PyObject* b) {
  const OpEntry* const entry = entries[static_cast<size_t>(op)];
  if (entry == nullptr) return not_implemented();
  return guarded([&] {
    if (Py_TYPE(a) == tensor_type && Py_TYPE(b) == tensor_type) [[likely]]
      return call_op(*entry, inputs(tensor_of(a), tensor_of(b)), &kNoAttrs);
    if (is_tensor(a) && is_tensor(b)) {
      const Held left(a), right(b);
      return call_op(*entry, inputs(left.get(), right.get()), &kNoAttrs);
    }
    return converted_binary(*entry, a, b);
  });
}

PyObject* call_unary(Op op, PyObject* x) {
  const OpEntry* const entry = entries[static_cast<size_t>(op)];
  if (entry == nullptr) return not_implemented();
  return guarded([&] {
    const Held held(x);
    return call_op(*entry, inputs(held.get()), &kNoAttrs);
  });
}

template <Op op>
PyObject* binary(PyObject* a, PyObject* b) {
  return call_binary(op, a, b);
}
template <Op op>
PyObject* unary(PyObject* x) {
  return call_unary(op, x);
}

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
  return modulus == Py_None ? call_binary(Op::kPow, a, b) : not_implemented();
}

PyObject* quotient_and_remainder(PyObject* a, PyObject* b) {
  Ref quotient(call_binary(Op::kFloorDivide, a, b));
  if (!quotient || quotient.get() == Py_NotImplemented) return quotient.give_up();
  Ref rest(call_binary(Op::kRemainder, a, b));
  if (!rest || rest.get() == Py_NotImplemented) return rest.give_up();
  return PyTuple_Pack(2, quotient.get(), rest.get());
}

// `x -= y` gives the name a new value. Of a value on a tape people who write it mean the place.
PyObject* subtract_in_place(PyObject* a, PyObject* b) {
  if (Py_TYPE(a) == tensor_type && is_tape_level(tensor_of(a).level())) {
    return guarded([]() -> PyObject* {
      fail(
          Code::kInvalid, "subtract", "in_place",
          "`x -= y` on a tensor with history, and a tensor never changes; make it a place that can "
          "be assigned to, wf.Variable(x), or write x = x - y for a new value");
    });
  }
  return call_binary(Op::kSubtract, a, b);
}

PyObject* positive(PyObject* x) { return Py_NewRef(x); }

template <class Function>
void* slot(Function function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

void find_operators() {
  for (size_t i = 0; i < kNames.size(); ++i) {
    entries[i] = find_op(kNames[i]);
  }
}

PyObject* tensor_compare(PyObject* a, PyObject* b, int operation) {
  switch (operation) {
    case Py_LT: return call_binary(Op::kLess, a, b);
    case Py_LE: return call_binary(Op::kLessEqual, a, b);
    case Py_EQ: return call_binary(Op::kEqual, a, b);
    case Py_NE: return call_binary(Op::kNotEqual, a, b);
    case Py_GT: return call_binary(Op::kGreater, a, b);
    default: return call_binary(Op::kGreaterEqual, a, b);
  }
}

const PyType_Slot* number_slots(size_t* count) {
  static const PyType_Slot slots[] = {
      {Py_nb_add, slot(binary<Op::kAdd>)},
      {Py_nb_subtract, slot(binary<Op::kSubtract>)},
      {Py_nb_inplace_subtract, slot(subtract_in_place)},
      {Py_nb_multiply, slot(binary<Op::kMultiply>)},
      {Py_nb_true_divide, slot(binary<Op::kDivide>)},
      {Py_nb_floor_divide, slot(binary<Op::kFloorDivide>)},
      {Py_nb_remainder, slot(binary<Op::kRemainder>)},
      {Py_nb_divmod, slot(quotient_and_remainder)},
      {Py_nb_power, slot(power)},
      {Py_nb_matrix_multiply, slot(binary<Op::kMatmul>)},
      {Py_nb_lshift, slot(binary<Op::kLeftShift>)},
      {Py_nb_rshift, slot(binary<Op::kRightShift>)},
      {Py_nb_and, slot(binary<Op::kAnd>)},
      {Py_nb_or, slot(binary<Op::kOr>)},
      {Py_nb_xor, slot(binary<Op::kXor>)},
      {Py_nb_negative, slot(unary<Op::kNegative>)},
      {Py_nb_positive, slot(positive)},
      {Py_nb_absolute, slot(unary<Op::kAbs>)},
      {Py_nb_invert, slot(unary<Op::kInvert>)},
      {Py_nb_bool, slot(tensor_bool)},
      {Py_nb_int, slot(tensor_int)},
      {Py_nb_float, slot(tensor_float)},
      {Py_nb_index, slot(tensor_index)},
  };
  *count = std::size(slots);
  return slots;
}

}  // namespace weft::python
