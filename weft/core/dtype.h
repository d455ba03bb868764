// DType: the element types, their names, kinds, sizes and promotion.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

enum class DType : uint8_t {
  kBool,
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kU64,
  kI64,
  kF16,
  kBF16,
  kF32,
  kF64,
  kC64,
  kC128,
};
inline constexpr int kNumDTypes = 15;

// Kinds in the order of promotion.
enum class Kind : uint8_t { kBool, kInteger, kFloating, kComplex };

// Bytes of one element.
constexpr int64_t size_of(DType dtype) {
  constexpr uint8_t kSizes[kNumDTypes] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 8, 16};
  return kSizes[static_cast<uint8_t>(dtype)];
}
Kind kind_of(DType dtype);
std::string_view name_of(DType dtype);                    // "float32": what users see
std::string_view short_name_of(DType dtype);              // "f32": IR text and kernel names
std::optional<DType> parse_dtype(std::string_view name);  // either form

inline void append_text(std::string& out, DType dtype) { out += name_of(dtype); }

bool is_signed_integer(DType dtype);
bool is_unsigned_integer(DType dtype);
inline bool is_integer(DType dtype) { return kind_of(dtype) == Kind::kInteger; }
inline bool is_floating(DType dtype) { return kind_of(dtype) == Kind::kFloating; }
inline bool is_complex(DType dtype) { return kind_of(dtype) == Kind::kComplex; }

// The dtype both are converted to: the array API's tables, f16 with bf16 is f32, and across kinds
// the higher kind. None for u64 with a signed integer, where no integer type holds both.
std::optional<DType> promote(DType a, DType b);

// What a language scalar of the given kind becomes beside a tensor of `dtype`: it never widens the
// tensor.
DType promote_scalar(DType dtype, Kind scalar);

DType real_of(DType dtype);     // complex64 -> float32; others unchanged
DType complex_of(DType dtype);  // float32 -> complex64, float64 -> complex128; others unchanged
DType compute_of(
    DType dtype);  // what arithmetic runs in: float32 for float16 and bfloat16, others unchanged

// What a sum or product accumulates and returns: integers widen to 64 bits, bool counts in int64.
DType accumulate_of(DType dtype);

}  // namespace weft
