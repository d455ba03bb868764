// The table of element types and the promotion rules.
#include "weft/core/dtype.h"

#include <algorithm>
#include <array>

namespace weft {
namespace {

struct Info {
  std::string_view name, short_name;
  Kind kind;
  bool is_signed;
};

constexpr std::array<Info, kNumDTypes> kInfo{{
    {"bool", "bool", Kind::kBool, false},
    {"uint8", "u8", Kind::kInteger, false},
    {"int8", "i8", Kind::kInteger, true},
    {"uint16", "u16", Kind::kInteger, false},
    {"int16", "i16", Kind::kInteger, true},
    {"uint32", "u32", Kind::kInteger, false},
    {"int32", "i32", Kind::kInteger, true},
    {"uint64", "u64", Kind::kInteger, false},
    {"int64", "i64", Kind::kInteger, true},
    {"float16", "f16", Kind::kFloating, true},
    {"bfloat16", "bf16", Kind::kFloating, true},
    {"float32", "f32", Kind::kFloating, true},
    {"float64", "f64", Kind::kFloating, true},
    {"complex64", "c64", Kind::kComplex, true},
    {"complex128", "c128", Kind::kComplex, true},
}};

const Info& info(DType dtype) { return kInfo[static_cast<size_t>(dtype)]; }

DType signed_of_bytes(int64_t bytes) {
  switch (bytes) {
    case 1: return DType::kI8;
    case 2: return DType::kI16;
    case 4: return DType::kI32;
    default: return DType::kI64;
  }
}

std::optional<DType> promote_integers(DType a, DType b) {
  if (info(a).is_signed == info(b).is_signed) return size_of(a) >= size_of(b) ? a : b;
  const DType unsigned_one = info(a).is_signed ? b : a;
  const DType signed_one = info(a).is_signed ? a : b;
  if (size_of(signed_one) > size_of(unsigned_one)) return signed_one;
  if (size_of(unsigned_one) == 8) return std::nullopt;
  return signed_of_bytes(2 * size_of(unsigned_one));
}

DType promote_floats(DType a, DType b) {
  if (a == b) return a;
  if (size_of(a) == 2 && size_of(b) == 2) return DType::kF32;
  return size_of(a) > size_of(b) ? a : b;
}

}  // namespace

Kind kind_of(DType dtype) { return info(dtype).kind; }
std::string_view name_of(DType dtype) { return info(dtype).name; }
std::string_view short_name_of(DType dtype) { return info(dtype).short_name; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (size_t i = 0; i < kInfo.size(); ++i) {
    if (name == kInfo[i].name || name == kInfo[i].short_name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

bool is_signed_integer(DType dtype) { return is_integer(dtype) && info(dtype).is_signed; }
bool is_unsigned_integer(DType dtype) { return is_integer(dtype) && !info(dtype).is_signed; }

std::optional<DType> promote(DType a, DType b) {
  if (a == b) return a;
  const Kind high = std::max(kind_of(a), kind_of(b));
  if (kind_of(a) != kind_of(b)) {
    const DType higher = kind_of(a) == high ? a : b;
    const DType lower = kind_of(a) == high ? b : a;
    // f64 with complex64 needs complex128; integers and bools never widen a float or complex.
    if (high == Kind::kComplex && lower == DType::kF64) return DType::kC128;
    return higher;
  }
  switch (high) {
    case Kind::kBool: return a;
    case Kind::kInteger: return promote_integers(a, b);
    case Kind::kFloating: return promote_floats(a, b);
    case Kind::kComplex: return DType::kC128;
  }
  return std::nullopt;
}

DType promote_scalar(DType dtype, Kind scalar) {
  if (scalar <= kind_of(dtype)) return dtype;
  switch (scalar) {
    case Kind::kBool: return dtype;
    case Kind::kInteger: return DType::kI64;
    case Kind::kFloating: return DType::kF32;
    case Kind::kComplex: return dtype == DType::kF64 ? DType::kC128 : DType::kC64;
  }
  return dtype;
}

DType real_of(DType dtype) {
  if (dtype == DType::kC64) return DType::kF32;
  return dtype == DType::kC128 ? DType::kF64 : dtype;
}

DType complex_of(DType dtype) {
  if (dtype == DType::kF32) return DType::kC64;
  return dtype == DType::kF64 ? DType::kC128 : dtype;
}

DType compute_of(DType dtype) {
  return dtype == DType::kF16 || dtype == DType::kBF16 ? DType::kF32 : dtype;
}

DType accumulate_of(DType dtype) {
  if (is_unsigned_integer(dtype)) return DType::kU64;
  if (is_integer(dtype) || dtype == DType::kBool) return DType::kI64;
  return dtype;
}

}  // namespace weft
