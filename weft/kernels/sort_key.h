// SortKey: an element as an unsigned number whose order is the order of sorting.
//
// Floats: -0 and +0 have one key, every NaN has the greatest. Descending order is ascending order
// of the complement.
#pragma once

#include <cstdint>
#include <type_traits>

#include "weft/core/dtype.h"

namespace weft::kernels {

// What an element's bits mean.
enum class KeyKind : uint8_t { kUnsigned, kSigned, kFloat };

// `infinity` are the bits of a float's infinity, `nan` those of the one NaN.
template <class Unsigned, KeyKind kKind, Unsigned infinity = 0, Unsigned nan = 0>
struct SortKey {
  using Bits = Unsigned;
  static constexpr Bits kTop = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  static constexpr Bits kOnes = static_cast<Bits>(~Bits{0});
  static constexpr bool kIsFloat = kKind == KeyKind::kFloat;

  static Bits of(Bits bits) {
    if constexpr (kKind == KeyKind::kUnsigned) return bits;
    if constexpr (kKind == KeyKind::kSigned) return bits ^ kTop;
    const Bits magnitude = bits & static_cast<Bits>(~kTop);
    Bits key = bits ^ ((bits & kTop) != 0 ? kOnes : kTop);
    key = magnitude == 0 ? kTop : key;
    return magnitude > infinity ? kOnes : key;
  }
  // An element with this key: +0 for zeros.
  static Bits element(Bits key) {
    if constexpr (kKind == KeyKind::kUnsigned) return key;
    if constexpr (kKind == KeyKind::kSigned) return key ^ kTop;
    const Bits bits = key ^ ((key & kTop) != 0 ? kTop : kOnes);
    return key == kOnes ? nan : bits;
  }
  static bool is_negative_zero(Bits bits) { return kIsFloat && bits == kTop; }
};

// Calls body(SortKey<...>()) with the one of `dtype`, which is no complex.
template <class Body>
decltype(auto) with_sort_key(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::kI8: return body(SortKey<uint8_t, KeyKind::kSigned>());
    case DType::kU16: return body(SortKey<uint16_t, KeyKind::kUnsigned>());
    case DType::kI16: return body(SortKey<uint16_t, KeyKind::kSigned>());
    case DType::kU32: return body(SortKey<uint32_t, KeyKind::kUnsigned>());
    case DType::kI32: return body(SortKey<uint32_t, KeyKind::kSigned>());
    case DType::kU64: return body(SortKey<uint64_t, KeyKind::kUnsigned>());
    case DType::kI64: return body(SortKey<uint64_t, KeyKind::kSigned>());
    case DType::kF16: return body(SortKey<uint16_t, KeyKind::kFloat, 0x7c00, 0x7e00>());
    case DType::kBF16: return body(SortKey<uint16_t, KeyKind::kFloat, 0x7f80, 0x7fc0>());
    case DType::kF32: return body(SortKey<uint32_t, KeyKind::kFloat, 0x7f800000, 0x7fc00000>());
    case DType::kF64:
      return body(SortKey<uint64_t, KeyKind::kFloat, 0x7ff0000000000000, 0x7ff8000000000000>());
    default: return body(SortKey<uint8_t, KeyKind::kUnsigned>());  // bool, u8
  }
}

}  // namespace weft::kernels
