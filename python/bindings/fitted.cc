// Looking for numbers that a conversion would change beyond rounding: one pass, no branch per type.
#include "bindings/fitted.h"

#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "weft/base/error.h"
#include "weft/core/native.h"
#include "weft/core/scalar.h"
#include "weft/op/builtin.h"

namespace weft::python {
namespace {

double real(double x) { return x; }
double real(float x) { return x; }
double real(Half x) { return x.to_float(); }
double real(BFloat16 x) { return x.to_float(); }

// Calls f with a number of the C++ type of the dtype, complex ones by the type of their parts.
template <class F>
void with_type(DType dtype, F f) {
  switch (dtype) {
    case DType::kBool:
    case DType::kU8: return f(uint8_t{});
    case DType::kI8: return f(int8_t{});
    case DType::kU16: return f(uint16_t{});
    case DType::kI16: return f(int16_t{});
    case DType::kU32: return f(uint32_t{});
    case DType::kI32: return f(int32_t{});
    case DType::kU64: return f(uint64_t{});
    case DType::kI64: return f(int64_t{});
    case DType::kF16: return f(Half{});
    case DType::kBF16: return f(BFloat16{});
    case DType::kF32:
    case DType::kC64: return f(float{});
    case DType::kF64:
    case DType::kC128: return f(double{});
  }
}

struct Range {
  int64_t low;
  uint64_t high;
};
// The integers that end up as finite numbers of the dtype.
Range range_in(DType dtype) {
  Range out{std::numeric_limits<int64_t>::min(), std::numeric_limits<uint64_t>::max()};
  if (dtype == DType::kF16) return {-65519, 65519};
  if (!is_integer(dtype)) return out;
  with_type(dtype, [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) {
      out = {static_cast<int64_t>(std::numeric_limits<T>::min()),
             static_cast<uint64_t>(std::numeric_limits<T>::max())};
    }
  });
  return out;
}

// What was found: a number, as it is printed.
struct Unfit {
  std::string number;
  bool is_fraction = false;
};

template <class T>
std::optional<Unfit> integer_outside(std::span<const T> values, DType to) {
  const Range range = range_in(to);
  T least = std::numeric_limits<T>::max(), most = std::numeric_limits<T>::min();
  for (const T x : values) {
    least = std::min(least, x);
    most = std::max(most, x);
  }
  if (values.empty()) return {};
  if (std::cmp_less(least, range.low)) return Unfit{std::to_string(least)};
  return std::cmp_greater(most, range.high) ? std::optional(Unfit{std::to_string(most)})
                                            : std::nullopt;
}

template <class T>
std::optional<Unfit> fraction_or_outside(std::span<const T> values, DType to) {
  const Range range = range_in(to);
  // Both are exact: what the range begins with and ends before are 0 and powers of two.
  const auto low = static_cast<double>(range.low), end = static_cast<double>(range.high) + 1;
  for (const T x : values) {
    const double value = real(x);
    if (std::trunc(value) != value || std::isinf(value)) return Unfit{text(value), true};
    if (value < low || value >= end) return Unfit{text(value)};
  }
  return {};
}

// Numbers that are infinite after the conversion, and were not before.
template <class T>
std::optional<Unfit> grown_infinite(std::span<const T> values, const Tensor& converted) {
  std::optional<Unfit> out;
  with_type(converted.dtype(), [&]<class U>(U) {
    if constexpr (!std::is_integral_v<U>) {
      const U* const after = static_cast<const U*>(converted.data());
      for (size_t i = 0; i < values.size() && !out; ++i) {
        if (std::isinf(real(after[i])) && !std::isinf(real(values[i]))) {
          out = Unfit{text(real(values[i]))};
        }
      }
    }
  });
  return out;
}

std::optional<Unfit> found_in(const Tensor& given, const Tensor& converted) {
  const DType to = converted.dtype();
  if (given.dtype() == DType::kBool || to == DType::kBool) return {};
  const bool is_pair = is_complex(given.dtype());
  std::optional<Unfit> out;
  with_type(given.dtype(), [&]<class T>(T) {
    const std::span<const T> values(static_cast<const T*>(given.data()),
                                    static_cast<size_t>(given.numel()) * (is_pair ? 2 : 1));
    if constexpr (std::is_integral_v<T>) {
      out = integer_outside(values, to);
    } else if (is_integer(to)) {
      out = fraction_or_outside(values, to);
    } else if (is_complex(to) == is_pair) {
      out = grown_infinite(values, converted);
    }
  });
  return out;
}

Tensor contiguous(const Tensor& t) {
  if (t.is_contiguous()) return t;
  Tensor out = Tensor::empty(t.dtype(), t.shape());
  native::copy(out, t);
  return out;
}

}  // namespace

Tensor fitted(const Tensor& given, DType dtype, Asker asker) {
  if (given.dtype() == dtype) return given;
  if (is_complex(given.dtype()) && !is_complex(dtype) && dtype != DType::kBool) {
    fail(Code::kType, asker.op, "argument", asker.argument, " holds complex numbers, but dtype ",
         dtype, " was asked for");
  }
  // A real number becomes the first part of a complex one, which holds what its parts hold.
  const bool is_part = is_complex(dtype) && !is_complex(given.dtype());
  const DType part = dtype == DType::kC64 ? DType::kF32 : DType::kF64;
  const Tensor out = cast(given, is_part ? part : dtype, Where{});
  if (given.is_concrete() && out.is_concrete()) {
    const std::optional<Unfit> unfit = found_in(contiguous(given), contiguous(out));
    if (unfit && unfit->is_fraction) {
      fail(Code::kInvalid, asker.op, "argument", asker.argument, " holds ", unfit->number,
           ", which is no integer, but dtype ", dtype, " was asked for; round it, or use astype");
    }
    if (unfit) {
      fail(Code::kOverflow, asker.op, "fits", asker.argument, " holds ", unfit->number, ", but ",
           dtype, " holds ", range_of(dtype), "; choose a dtype that holds it");
    }
  }
  return is_part ? cast(out, dtype, Where{}) : out;
}

}  // namespace weft::python
