// What Python's operators give for numbers that a graph computes: of the kind that Python's have,
// in double precision or 64 bits, and weak, as numbers are.
#include "weft/state/number.h"

#include <nanobind/stl/string.h>

#include <algorithm>

#include "bindings/from_python.h"
#include "bindings/line.h"
#include "bindings/number.h"
#include "bindings/tensor_object.h"
#include "bindings/value.h"
#include "weft/base/error.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/op/promote.h"
#include "weft/op/registry.h"
#include "weft/ops/shape/shape_ops.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

constexpr std::pair<std::string_view, std::string_view> kOps[] = {
    {"+", "add"},         {"-", "subtract"},    {"*", "multiply"},
    {"<", "less"},        {"<=", "less_equal"}, {"==", "equal"},
    {"!=", "not_equal"},  {">", "greater"},     {">=", "greater_equal"},
    {"&", "bitwise_and"}, {"|", "bitwise_or"},  {"^", "bitwise_xor"},
    {"neg", "negative"},  {"abs", "abs"}};

DType dtype_of(Kind kind) {
  switch (kind) {
    case Kind::kBool: return DType::kBool;
    case Kind::kInteger: return DType::kI64;
    case Kind::kFloating: return DType::kF64;
    case Kind::kComplex: return DType::kC128;
  }
  return DType::kF64;
}

// A number in the dtype that an operation has it in; cast takes a weak one as it was written.
Tensor number_as(const Tensor& number, Kind kind, Where where) {
  const DType dtype = dtype_of(kind);
  if (number.is_concrete() && number.is_weak()) return strong_scalar("number", "a", number, dtype);
  return number.dtype() == dtype ? number : cast(number, dtype, where);
}

// What the operation computes in. A negative power of an integer is a float.
Kind kind_for(std::string_view operation, TensorSpan in) {
  Kind kind = Kind::kBool;
  for (const Tensor& t : in) kind = std::max(kind, kind_of(t.dtype()));
  const bool is_of_bits = operation == "&" || operation == "|" || operation == "^";
  if (is_of_bits && kind > Kind::kInteger) {
    fail(Code::kType, "number", "operation", "'", operation, "' is for integers and bools; got a ",
         kind == Kind::kComplex ? "complex" : "float");
  }
  if (!is_of_bits) kind = std::max(kind, Kind::kInteger);
  if (operation == "/" || operation == "float") return std::max(kind, Kind::kFloating);
  if (operation == "**" && kind == Kind::kInteger && in[1].is_concrete() && in[1].item() < 0) {
    return Kind::kFloating;
  }
  return kind;
}

// Of integers the host says if they need more than 64 bits; floats add up in any kernel as in
// Python.
bool is_for_host(std::string_view operation, Kind kind) {
  if (operation == "+" || operation == "-" || operation == "*") return kind == Kind::kInteger;
  return operation == "/" || operation == "//" || operation == "%" || operation == "**";
}

Tensor computed(std::string_view operation, TensorSpan in, Where where) {
  const Kind kind = kind_for(operation, in);
  Tensors numbers;
  for (const Tensor& t : in) numbers.push_back(number_as(t, kind, where));
  if (operation == "float") return numbers[0];
  if (operation == "int" && kind == Kind::kInteger) return numbers[0];
  if (is_for_host(operation, kind) || operation == "int" || parse_dtype(operation)) {
    const NumberAttrs attrs{std::string(operation)};
    return apply_prepared(kNumber, numbers, &attrs, where)[0];
  }
  const auto* const found =
      std::ranges::find(kOps, operation, &std::pair<std::string_view, std::string_view>::first);
  const OpEntry* const entry = found == std::end(kOps) ? nullptr : find_op(found->second);
  if (entry == nullptr) {
    fail(Code::kType, "number", "operation", "'", operation, "' is no operation of numbers");
  }
  return apply_prepared(*entry->op, numbers, &kNoAttrs, where)[0];
}

}  // namespace

Tensor as_number(const Tensor& x, Where where) {
  // A value of its own, since what is weak stays weak.
  Tensor out = apply_prepared(kStopGradient, inputs(x), &kNoAttrs, where)[0];
  if (!out.is_concrete()) out.node()->weak = true;
  return out;
}

void add_numbers(nb::module_& m) {
  // A traced scalar that stands for a number of the language: it takes the dtype of what it meets,
  // and no gradient goes through it.
  m.def(
      "_as_number",
      [](nb::handle x) {
        const Tensor& number = tensor_in(x.ptr(), {"TracedNumber", "x"});
        if (number.rank() != 0) {
          fail(Code::kInvalid, "TracedNumber", "rank", "x is ", number.type(),
               "; a number is a tensor of rank 0");
        }
        return nb::steal(wrap(as_number(number, python_line())));
      },
      nb::arg().none());
  m.def(
      "_has_value",
      [](nb::handle x) { return has_concrete_value(tensor_in(x.ptr(), {"TracedNumber", "x"})); },
      nb::arg().none());
  // A number in the dtype that a graph keeps it in, to be carried, called with or printed.
  m.def("_number_as", [](nb::handle x, const std::string& kind) {
    const Where where = python_line();
    const Kind wanted = kind == "bool"    ? Kind::kBool
                        : kind == "int"   ? Kind::kInteger
                        : kind == "float" ? Kind::kFloating
                                          : Kind::kComplex;
    const Tensor number = tensor_from(x.ptr(), {"number", "x"});
    const Tensor out = number_as(number, wanted, where);
    return nb::steal(wrap(out.is_weak() ? cast(out, out.dtype(), where) : out));
  });
  m.def("_number", [](const std::string& operation, nb::args operands) {
    const Where where = python_line();
    Tensors in;
    for (nb::handle one : operands) in.push_back(tensor_from(one.ptr(), {"number", "operand"}));
    Tensor out = computed(operation, in, where);
    if (!out.is_weak() && !out.is_concrete()) out.node()->weak = true;
    return nb::steal(wrap(std::move(out)));
  });
}

}  // namespace weft::python
