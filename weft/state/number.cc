// number: what Python computes of two numbers, known when the graph runs.
//
// On the host, as Python does: a kernel's pow may differ in the last bit, a kernel's integers wrap
// around, and none of them raises for a divisor of 0.
#include "weft/state/number.h"

#include <algorithm>
#include <cmath>

#include "weft/base/error.h"
#include "weft/core/native.h"
#include "weft/core/scalar.h"
#include "weft/op/apply.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

constexpr InferCtx kWho{"number"};
constexpr std::string_view kOperations[] = {"+", "-", "*", "/", "//", "%", "**", "int"};

struct Divided {
  double quotient, rest;
};

// CPython's float_divmod.
Divided divided(double a, double b) {
  kWho.require(b != 0, "defined", a, " is divided by ", b, "; the divisor must not be 0");
  double rest = std::fmod(a, b), quotient = (a - rest) / b;
  if (rest == 0) {
    rest = std::copysign(0.0, b);
  } else if ((b < 0) != (rest < 0)) {
    rest += b;
    quotient -= 1;
  }
  if (quotient == 0) return {std::copysign(0.0, a / b), rest};
  const double whole = std::floor(quotient);
  return {quotient - whole > 0.5 ? whole + 1 : whole, rest};
}

double of_floats(std::string_view operation, double a, double b) {
  if (operation == "+") return a + b;
  if (operation == "-") return a - b;
  if (operation == "*") return a * b;
  if (operation == "/") return python_quotient(kWho, a, b);
  if (operation == "//") return divided(a, b).quotient;
  if (operation == "%") return divided(a, b).rest;
  return python_power(kWho, a, b);
}

void require_fit(bool fits, std::string_view operation, int64_t a, int64_t b) {
  if (fits) return;
  fail(Code::kOverflow, kWho.op, "fits", a, " ", operation, " ", b,
       " needs more than 64 bits, which an integer of a graph has; make one of them a float");
}

int64_t times(int64_t a, int64_t b) {
  int64_t out = 0;
  require_fit(!__builtin_mul_overflow(a, b, &out), "*", a, b);
  return out;
}

int64_t power(int64_t a, int64_t b) {
  kWho.require(b >= 0, "defined", a, " to the power of ", b,
               " is no integer; make one of them a float");
  int64_t out = 1;
  for (int64_t base = a; b > 0; b >>= 1) {
    if ((b & 1) != 0) out = times(out, base);
    if (b > 1) base = times(base, base);
  }
  return out;
}

int64_t of_integers(std::string_view operation, int64_t a, int64_t b) {
  int64_t out = 0;
  if (operation == "+") {
    require_fit(!__builtin_add_overflow(a, b, &out), operation, a, b);
    return out;
  }
  if (operation == "-") {
    require_fit(!__builtin_sub_overflow(a, b, &out), operation, a, b);
    return out;
  }
  if (operation == "*") return times(a, b);
  if (operation == "**") return power(a, b);
  kWho.require(b != 0, "defined", a, " is divided by ", b, "; the divisor must not be 0");
  if (b == -1) return operation == "%" ? 0 : times(a, -1);
  const int64_t rest = a % b;
  const bool is_below = rest != 0 && (rest < 0) != (b < 0);  // Python rounds down
  if (operation == "%") return is_below ? rest + b : rest;
  return a / b - (is_below ? 1 : 0);
}

int64_t truncated(double a) {
  constexpr double kEnd = 9223372036854775808.0;  // 2^63
  if (!(a >= -kEnd && a < kEnd)) {
    fail(Code::kOverflow, kWho.op, "fits", "int of ", a,
         " needs more than the 64 bits that an integer of a graph has");
  }
  return static_cast<int64_t>(a);
}

// As the door says it of a number of the language.
template <class T>
T fitting(std::string_view dtype, T value) {
  char to[16];
  const DType wanted = *parse_dtype(dtype);
  if (store_scalar(Tensor(value), wanted, to)) return value;
  fail(Code::kOverflow, kWho.op, "fits", "a number is ", value, ", but ", wanted, " holds ",
       range_of(wanted), "; use a dtype that holds it");
}

Types infer_number(const NumberAttrs& at, const InferCtx& cx, TypeSpan in) {
  const std::string& word = at.operation;
  const bool is_dtype = parse_dtype(word).has_value();
  cx.require(is_dtype || std::ranges::find(kOperations, word) != std::end(kOperations), "operation",
             "'", word, "' is no operation; take one of + - * / // % ** int, or a dtype");
  cx.require(in.size() == (is_dtype || word == "int" ? 1 : 2), "count", "'", word, "' got ",
             in.size(), " numbers");
  for (const Type& type : in) {
    const bool is_number = type.dtype == DType::kF64 || (type.dtype == DType::kI64 && word != "/");
    cx.require_type(is_number && type.dtype == in[0].dtype, "dtype", "'", word, "' got a ",
                    type.dtype, "; numbers are all float64 or all int64");
  }
  if (is_dtype) return {in[0]};
  if (word == "int") return {{DType::kI64, in[0].shape}};
  return {{in[0].dtype, cx.broadcast(in[0].shape, in[1].shape)}};
}

// Its elements one after another, in the shape of the result.
template <class T>
const T* elements(Tensor& t, const Shape& shape) {
  if (!std::ranges::equal(t.shape(), shape) || !t.is_contiguous()) {
    const Tensor whole = Tensor::empty(t.dtype(), shape);
    native::copy(whole, broadcast_to(t, shape));
    t = whole;
  }
  return static_cast<const T*>(t.data());
}

template <class T, class Of>
Tensors of_two(const NumberAttrs& at, TensorSpan in, const Type& type, Of of) {
  Tensor a = in[0], b = in[1];
  const T *left = elements<T>(a, type.shape), *right = elements<T>(b, type.shape);
  const Tensor out = Tensor::empty(type.dtype, type.shape);
  T* const to = static_cast<T*>(out.writable_data());
  for (int64_t i = 0; i < out.numel(); ++i) to[i] = of(at.operation, left[i], right[i]);
  return {out};
}

template <class To, class From, class Of>
Tensors of_one(TensorSpan in, const Type& type, Of of) {
  Tensor a = in[0];
  const From* const from = elements<From>(a, type.shape);
  const Tensor out = Tensor::empty(type.dtype, type.shape);
  std::transform(from, from + out.numel(), static_cast<To*>(out.writable_data()), of);
  return {out};
}

Tensors run(const NumberAttrs& at, TensorSpan in, TypeSpan out) {
  const std::string& word = at.operation;
  const bool is_float = in[0].dtype() == DType::kF64;
  if (word == "int") return of_one<int64_t, double>(in, out[0], truncated);
  if (in.size() == 2) {
    return is_float ? of_two<double>(at, in, out[0], of_floats)
                    : of_two<int64_t>(at, in, out[0], of_integers);
  }
  const auto as_it_is = [&](auto value) { return fitting(word, value); };
  return is_float ? of_one<double, double>(in, out[0], as_it_is)
                  : of_one<int64_t, int64_t>(in, out[0], as_it_is);
}

}  // namespace

double python_quotient(const InferCtx& who, double a, double b) {
  who.require(b != 0, "defined", a, " is divided by ", b, "; the divisor must not be 0");
  return a / b;
}

double python_power(const InferCtx& who, double a, double b) {
  const double out = std::pow(a, b);
  const bool is_finite = std::isfinite(out) || !std::isfinite(a) || !std::isfinite(b);
  who.require(is_finite, "defined", a, " to the power of ", b, " is no finite float");
  return out;
}

constinit const OpDef kNumber{
    .name = "number",
    .doc = "What Python computes of two numbers: int64 or float64, and raises where Python does.",
    .inputs = {"a: any", "b?: any"},
    .outputs = {"out: any"},
    .attrs = attrs_type<NumberAttrs>(),
    .infer = rule<infer_number>(),
    .grad = derive::not_differentiable("a number of Python is a constant"),
    .batch = batch::broadcasting(),
    .kernel = kernel::host<run>(),
};

}  // namespace weft
