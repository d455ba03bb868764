// Arithmetic on the suite's scalars, of every dtype at once: references of products and sums.
#pragma once

#include "tests/op_suite/samples.h"

namespace weft::suite {

// An integer as the dtype holds it.
inline int64_t wrapped(DType dtype, int64_t value) {
  switch (dtype) {
    case DType::kBool: return value != 0;
    case DType::kU8: return static_cast<uint8_t>(value);
    case DType::kI8: return static_cast<int8_t>(value);
    case DType::kU16: return static_cast<uint16_t>(value);
    case DType::kI16: return static_cast<int16_t>(value);
    case DType::kU32: return static_cast<uint32_t>(value);
    case DType::kI32: return static_cast<int32_t>(value);
    default: return value;
  }
}

inline ScalarValue times(DType dtype, const ScalarValue& a, const ScalarValue& b) {
  const auto product = static_cast<uint64_t>(a.i) * static_cast<uint64_t>(b.i);
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re,
          wrapped(dtype, static_cast<int64_t>(product))};
}

inline ScalarValue plus(DType dtype, const ScalarValue& a, const ScalarValue& b) {
  const auto total = static_cast<uint64_t>(a.i) + static_cast<uint64_t>(b.i);
  return {a.re + b.re, a.im + b.im, wrapped(dtype, static_cast<int64_t>(total))};
}

inline ScalarValue minus(DType dtype, const ScalarValue& a, const ScalarValue& b) {
  const auto total = static_cast<uint64_t>(a.i) - static_cast<uint64_t>(b.i);
  return {a.re - b.re, a.im - b.im, wrapped(dtype, static_cast<int64_t>(total))};
}

}  // namespace weft::suite
