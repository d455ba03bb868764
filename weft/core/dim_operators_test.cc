// Arithmetic and comparisons of sizes as programs write them.
#include "weft/core/dim_operators.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(DimOperators, numbers_and_sizes_mix) {
  const Dim n = 7;
  EXPECT_EQ(n + 1, Dim(8));
  EXPECT_EQ(2 * n - 1, Dim(13));
  EXPECT_EQ(n / 2, Dim(3));
  EXPECT_EQ(n % 4, Dim(3));
  EXPECT_EQ(15 / n, Dim(2));
  Dim m = n;
  m -= 1;
  m /= 4;
  EXPECT_EQ(m, Dim(1));
  EXPECT_TRUE(m < n && m <= 1 && n > 6 && n >= 7);
}

TEST(DimOperators, symbols_stay_formulas) {
  const Dim n = Dim::symbol("n");
  EXPECT_EQ(to_string(6 * n / 2), "3*n");
  EXPECT_EQ(to_string((n + 1) / 2), to_string(floor_div(n + 1, 2)));
  EXPECT_EQ(4 * n % 2, Dim(0));
  EXPECT_EQ(n * 3 - n - n, n);
}

}  // namespace
}  // namespace weft
