// Storing language scalars, with the check that nothing is lost.
#include "weft/core/scalar.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "weft/base/text.h"

namespace weft {
namespace {

template <class T>
T load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
bool put(void* to, T value) {
  std::memcpy(to, &value, sizeof value);
  return true;
}

// 128 bits hold every integer that a scalar can be.
__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using)

template <class T>
bool put_integer(void* to, Wide value) {
  if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max()) return false;
  return put(to, static_cast<T>(value));
}

bool store_integer(Wide value, DType dtype, void* to) {
  switch (dtype) {
    case DType::kU8: return put_integer<uint8_t>(to, value);
    case DType::kI8: return put_integer<int8_t>(to, value);
    case DType::kU16: return put_integer<uint16_t>(to, value);
    case DType::kI16: return put_integer<int16_t>(to, value);
    case DType::kU32: return put_integer<uint32_t>(to, value);
    case DType::kI32: return put_integer<int32_t>(to, value);
    case DType::kU64: return put_integer<uint64_t>(to, value);
    default: return put_integer<int64_t>(to, value);
  }
}

// The number in the dtype's precision, or infinite where it is too large for it.
double rounded(double value, DType dtype) {
  const float narrow = static_cast<float>(value);
  switch (dtype) {
    case DType::kF16: return Half::from_float(narrow).to_float();
    case DType::kBF16: return BFloat16::from_float(narrow).to_float();
    case DType::kF32:
    case DType::kC64: return narrow;
    default: return value;
  }
}

bool store_floating(double value, DType dtype, void* to) {
  if (std::isfinite(value) && !std::isfinite(rounded(value, dtype))) return false;
  const float narrow = static_cast<float>(value);
  switch (dtype) {
    case DType::kF16: return put(to, Half::from_float(narrow));
    case DType::kBF16: return put(to, BFloat16::from_float(narrow));
    case DType::kF32: return put(to, narrow);
    case DType::kF64: return put(to, value);
    case DType::kC64: return put(to, Complex64{narrow, 0});
    default: return put(to, Complex128{value, 0});
  }
}

bool store_complex(Complex128 value, DType dtype, void* to) {
  if (dtype == DType::kC128) return put(to, value);
  for (double part : {value.re, value.im}) {
    if (std::isfinite(part) && !std::isfinite(rounded(part, dtype))) return false;
  }
  return put(to, Complex64{static_cast<float>(value.re), static_cast<float>(value.im)});
}

// A number without fraction is an integer if it is small enough to be one exactly.
bool store_whole(double value, DType dtype, void* to) {
  if (!(std::abs(value) < 0x1p64) || std::trunc(value) != value) return false;
  return store_integer(static_cast<Wide>(value), dtype, to);
}

Wide integer_in(const Tensor& scalar) {
  switch (scalar.dtype()) {
    case DType::kBool: return load<uint8_t>(scalar.data());
    case DType::kU64: return load<uint64_t>(scalar.data());
    default: return load<int64_t>(scalar.data());
  }
}

template <class T>
Tensor made(DType dtype, T value) {
  const Tensor out = Tensor::empty(dtype, {});
  put(out.writable_data(), value);
  out.node()->weak = true;
  return out;
}

std::string decimal(Wide value) {
  return value < 0 ? text(static_cast<int64_t>(value)) : text(static_cast<uint64_t>(value));
}

}  // namespace

bool store_scalar(const Tensor& scalar, DType dtype, void* to) {
  const Kind kind = kind_of(dtype);
  if (scalar.dtype() == DType::kF64) {
    const double value = load<double>(scalar.data());
    if (kind >= Kind::kFloating) return store_floating(value, dtype, to);
    return kind == Kind::kInteger && store_whole(value, dtype, to);
  }
  if (scalar.dtype() == DType::kC128) {
    return kind == Kind::kComplex && store_complex(load<Complex128>(scalar.data()), dtype, to);
  }
  const Wide value = integer_in(scalar);
  if (kind >= Kind::kFloating) return store_floating(static_cast<double>(value), dtype, to);
  if (kind == Kind::kInteger) return store_integer(value, dtype, to);
  return scalar.dtype() == DType::kBool && put(to, static_cast<uint8_t>(value));
}

Tensor weak_scalar_of(uint64_t value) { return made(DType::kU64, value); }
Tensor weak_scalar_of(Complex128 value) { return made(DType::kC128, value); }

std::string range_of(DType dtype) {
  const auto bits = static_cast<int>(8 * size_of(dtype));
  switch (kind_of(dtype)) {
    case Kind::kBool: return "True and False";
    case Kind::kInteger:
      if (is_unsigned_integer(dtype)) return text("0 to ", decimal((Wide{1} << bits) - 1));
      return text(decimal(-(Wide{1} << (bits - 1))), " to ", decimal((Wide{1} << (bits - 1)) - 1));
    case Kind::kFloating:
    case Kind::kComplex: break;
  }
  switch (real_of(dtype)) {
    case DType::kF16: return "-65504 to 65504";
    case DType::kBF16: return "-3.3895314e+38 to 3.3895314e+38";
    case DType::kF32: return "-3.4028235e+38 to 3.4028235e+38";
    default: return "-1.7976931348623157e+308 to 1.7976931348623157e+308";
  }
}

std::string value_of(const Tensor& scalar) {
  switch (scalar.dtype()) {
    case DType::kBool: return integer_in(scalar) != 0 ? "True" : "False";
    case DType::kF64: return text(load<double>(scalar.data()));
    case DType::kC128: {
      const Complex128 value = load<Complex128>(scalar.data());
      return text(value.re, value.im < 0 ? "" : "+", value.im, "j");
    }
    default: return decimal(integer_in(scalar));
  }
}

}  // namespace weft
