// DType: names and sizes, and every pair of the promotion table.
#include "weft/core/dtype.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <vector>

namespace weft {
namespace {

std::vector<DType> all_dtypes() {
  std::vector<DType> out;
  for (int i = 0; i < kNumDTypes; ++i) out.push_back(static_cast<DType>(i));
  return out;
}

DType parsed(std::string_view name) { return parse_dtype(name).value(); }

TEST(DType, names_parse_back) {
  std::set<std::string_view> seen;
  for (const DType dtype : all_dtypes()) {
    EXPECT_EQ(parse_dtype(name_of(dtype)), dtype);
    EXPECT_EQ(parse_dtype(short_name_of(dtype)), dtype);
    seen.insert(name_of(dtype));
  }
  EXPECT_EQ(seen.size(), 15u);
  EXPECT_EQ(parse_dtype("float"), std::nullopt);
  EXPECT_EQ(parse_dtype(""), std::nullopt);
}

TEST(DType, names_tell_sizes_and_kinds) {
  for (const DType dtype : all_dtypes()) {
    const std::string name(name_of(dtype));
    const size_t digits = name.find_first_of("0123456789");
    if (digits != std::string::npos) {
      EXPECT_EQ(size_of(dtype) * 8, std::stoi(name.substr(digits))) << name;
    }
    EXPECT_EQ(is_floating(dtype), name.find("float") != std::string::npos) << name;
    EXPECT_EQ(is_complex(dtype), name.starts_with("complex")) << name;
    EXPECT_EQ(is_unsigned_integer(dtype), name.starts_with("uint")) << name;
    EXPECT_EQ(is_signed_integer(dtype), name.starts_with("int")) << name;
    EXPECT_EQ(is_integer(dtype), is_signed_integer(dtype) || is_unsigned_integer(dtype)) << name;
  }
  EXPECT_EQ(size_of(DType::kBool), 1);
  EXPECT_EQ(kind_of(DType::kBool), Kind::kBool);
}

// The array API's tables (2024.12), with f16 and bf16 and the mixed kinds of docs/design. A dash:
// no dtype holds both.
constexpr const char* kPromotion = R"(
      bool u8   i8   u16  i16  u32  i32  u64  i64  f16  bf16 f32  f64  c64  c128
bool  bool u8   i8   u16  i16  u32  i32  u64  i64  f16  bf16 f32  f64  c64  c128
u8    u8   u8   i16  u16  i16  u32  i32  u64  i64  f16  bf16 f32  f64  c64  c128
i8    i8   i16  i8   i32  i16  i64  i32  -    i64  f16  bf16 f32  f64  c64  c128
u16   u16  u16  i32  u16  i32  u32  i32  u64  i64  f16  bf16 f32  f64  c64  c128
i16   i16  i16  i16  i32  i16  i64  i32  -    i64  f16  bf16 f32  f64  c64  c128
u32   u32  u32  i64  u32  i64  u32  i64  u64  i64  f16  bf16 f32  f64  c64  c128
i32   i32  i32  i32  i32  i32  i64  i32  -    i64  f16  bf16 f32  f64  c64  c128
u64   u64  u64  -    u64  -    u64  -    u64  -    f16  bf16 f32  f64  c64  c128
i64   i64  i64  i64  i64  i64  i64  i64  -    i64  f16  bf16 f32  f64  c64  c128
f16   f16  f16  f16  f16  f16  f16  f16  f16  f16  f16  f32  f32  f64  c64  c128
bf16  bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 f32  bf16 f32  f64  c64  c128
f32   f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f64  c64  c128
f64   f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  c128 c128
c64   c64  c64  c64  c64  c64  c64  c64  c64  c64  c64  c64  c64  c128 c64  c128
c128  c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128
)";

TEST(DType, promotion_table) {
  std::istringstream words(kPromotion);
  std::vector<std::string> columns(kNumDTypes);
  for (std::string& column : columns) words >> column;
  int cells = 0;
  for (int row = 0; row < kNumDTypes; ++row) {
    std::string left, expected;
    words >> left;
    for (const std::string& right : columns) {
      words >> expected;
      const auto got = promote(parsed(left), parsed(right));
      EXPECT_EQ(got ? short_name_of(*got) : "-", expected) << left << " with " << right;
      ++cells;
    }
  }
  EXPECT_EQ(cells, 225);
}

TEST(DType, a_scalar_never_widens) {
  for (const DType dtype : all_dtypes()) {
    for (const Kind kind : {Kind::kBool, Kind::kInteger, Kind::kFloating, Kind::kComplex}) {
      const DType out = promote_scalar(dtype, kind);
      if (kind <= kind_of(dtype)) {
        EXPECT_EQ(out, dtype);
      } else {
        EXPECT_EQ(kind_of(out), kind);
      }
    }
  }
  EXPECT_EQ(promote_scalar(DType::kBool, Kind::kInteger), DType::kI64);
  EXPECT_EQ(promote_scalar(DType::kI64, Kind::kFloating), DType::kF32);
  EXPECT_EQ(promote_scalar(DType::kBF16, Kind::kComplex), DType::kC64);
  EXPECT_EQ(promote_scalar(DType::kF64, Kind::kComplex), DType::kC128);
}

TEST(DType, relatives) {
  EXPECT_EQ(real_of(DType::kC64), DType::kF32);
  EXPECT_EQ(real_of(DType::kC128), DType::kF64);
  EXPECT_EQ(real_of(DType::kI8), DType::kI8);
  EXPECT_EQ(complex_of(DType::kF32), DType::kC64);
  EXPECT_EQ(complex_of(DType::kF64), DType::kC128);
  EXPECT_EQ(complex_of(DType::kF16), DType::kF16);
  EXPECT_EQ(compute_of(DType::kF16), DType::kF32);
  EXPECT_EQ(compute_of(DType::kBF16), DType::kF32);
  EXPECT_EQ(compute_of(DType::kF64), DType::kF64);
  EXPECT_EQ(accumulate_of(DType::kBool), DType::kI64);
  EXPECT_EQ(accumulate_of(DType::kI16), DType::kI64);
  EXPECT_EQ(accumulate_of(DType::kU8), DType::kU64);
  EXPECT_EQ(accumulate_of(DType::kF16), DType::kF16);
  EXPECT_EQ(accumulate_of(DType::kC64), DType::kC64);
}

}  // namespace
}  // namespace weft
