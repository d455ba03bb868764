// Scopes of DimOracleIs end in any order.
#include <gtest/gtest.h>

#include <memory>

#include "weft/core/dim.h"

namespace weft {
namespace {

struct Always : DimOracle {
  explicit Always(int64_t size) : size(size) {}
  int64_t value_of(Dim) override { return size; }
  Tri is_same(Dim, Dim) override { return Tri::kYes; }
  std::optional<int64_t> hint(Dim) override { return size; }
  Tri is_less(Dim, Dim) override { return Tri::kNo; }
  const int64_t size;
};

TEST(DimOracleIs, EndsInAnyOrder) {
  const Dim n = Dim::symbol("n");
  Always one(1), two(2);
  auto outer = std::make_unique<DimOracleIs>(&one), inner = std::make_unique<DimOracleIs>(&two);
  EXPECT_EQ(hinted_value(n), 2);
  outer.reset();
  EXPECT_EQ(hinted_value(n), 2);
  {
    const DimOracleIs none(nullptr);
    EXPECT_EQ(hinted_value(n), std::nullopt);
    inner.reset();
    EXPECT_EQ(hinted_value(n), std::nullopt);
  }
  EXPECT_EQ(hinted_value(n), std::nullopt);
  EXPECT_EQ(decide_same(n, 3), Tri::kUnknown);
}

}  // namespace
}  // namespace weft
