// Language scalars: what every dtype holds, and what it refuses.
#include "weft/core/scalar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace weft {
namespace {

template <class T>
T stored(const Tensor& scalar, DType dtype) {
  T out{};
  EXPECT_TRUE(store_scalar(scalar, dtype, &out)) << value_of(scalar) << " in " << name_of(dtype);
  return out;
}
bool refused(const Tensor& scalar, DType dtype) {
  alignas(16) char before[16], after[16];
  std::memset(before, 0x5a, sizeof before);
  std::memcpy(after, before, sizeof after);
  return !store_scalar(scalar, dtype, after) && std::memcmp(before, after, sizeof after) == 0;
}

TEST(Scalar, IntegersInRangeAreExactAndOthersAreRefused) {
  EXPECT_EQ(stored<uint8_t>(Tensor(255), DType::kU8), 255);
  EXPECT_EQ(stored<int8_t>(Tensor(-128), DType::kI8), -128);
  EXPECT_EQ(stored<int64_t>(Tensor(INT64_MIN), DType::kI64), INT64_MIN);
  EXPECT_EQ(stored<uint64_t>(weak_scalar_of(UINT64_MAX), DType::kU64), UINT64_MAX);
  EXPECT_TRUE(refused(Tensor(256), DType::kU8));
  EXPECT_TRUE(refused(Tensor(-1), DType::kU64));
  EXPECT_TRUE(refused(Tensor(-129), DType::kI8));
  EXPECT_TRUE(refused(weak_scalar_of(uint64_t{1} << 63), DType::kI64));
}

TEST(Scalar, FloatsRoundButDoNotBecomeInfinite) {
  EXPECT_EQ(stored<float>(Tensor(0.1), DType::kF32), 0.1f);
  EXPECT_EQ(stored<float>(Tensor(1e-300), DType::kF32), 0.0f);
  EXPECT_EQ(stored<float>(Tensor(INFINITY), DType::kF32), INFINITY);
  EXPECT_TRUE(std::isnan(stored<float>(Tensor(NAN), DType::kF32)));
  EXPECT_EQ(stored<Half>(Tensor(65504), DType::kF16).to_float(), 65504);
  EXPECT_TRUE(refused(Tensor(1e39), DType::kF32));
  EXPECT_TRUE(refused(Tensor(65520), DType::kF16));
  EXPECT_TRUE(refused(Tensor(-1e39), DType::kBF16));
  EXPECT_TRUE(refused(weak_scalar_of(Complex128{0, 1e39}), DType::kC64));
}

TEST(Scalar, OnlyWhatIsWholeBecomesAnInteger) {
  EXPECT_EQ(stored<int32_t>(Tensor(-3.0), DType::kI32), -3);
  EXPECT_TRUE(refused(Tensor(2.5), DType::kI32));
  EXPECT_TRUE(refused(Tensor(0x1p63), DType::kI64));
  EXPECT_TRUE(refused(Tensor(NAN), DType::kI64));
  EXPECT_TRUE(refused(weak_scalar_of(Complex128{1, 0}), DType::kF64));
  EXPECT_TRUE(refused(Tensor(1), DType::kBool));
}

TEST(Scalar, RangesPrint) {
  EXPECT_EQ(range_of(DType::kU8), "0 to 255");
  EXPECT_EQ(range_of(DType::kI64), "-9223372036854775808 to 9223372036854775807");
  EXPECT_EQ(range_of(DType::kU64), "0 to 18446744073709551615");
  EXPECT_EQ(value_of(weak_scalar_of(Complex128{1, -2})), "1.0-2.0j");
}

}  // namespace
}  // namespace weft
