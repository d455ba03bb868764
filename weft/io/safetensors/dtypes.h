// What safetensors calls the dtypes.
#pragma once

#include <optional>
#include <string_view>

#include "weft/core/dtype.h"

namespace weft::io {

struct SafetensorsDType {
  DType ours;
  std::string_view name;
};
inline constexpr SafetensorsDType kSafetensorsDTypes[] = {
    {DType::kBool, "BOOL"}, {DType::kU8, "U8"},   {DType::kI8, "I8"},     {DType::kU16, "U16"},
    {DType::kI16, "I16"},   {DType::kU32, "U32"}, {DType::kI32, "I32"},   {DType::kU64, "U64"},
    {DType::kI64, "I64"},   {DType::kF16, "F16"}, {DType::kBF16, "BF16"}, {DType::kF32, "F32"},
    {DType::kF64, "F64"},   {DType::kC64, "C64"},
};

inline std::optional<DType> dtype_named(std::string_view name) {
  for (const SafetensorsDType& one : kSafetensorsDTypes) {
    if (one.name == name) return one.ours;
  }
  return std::nullopt;
}
inline std::string_view safetensors_name(DType dtype) {
  for (const SafetensorsDType& one : kSafetensorsDTypes) {
    if (one.ours == dtype) return one.name;
  }
  return "";
}

}  // namespace weft::io
