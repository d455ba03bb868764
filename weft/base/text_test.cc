// text(...): every kind of piece.
#include "weft/base/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "weft/base/grouped.h"

namespace weft {

struct Celsius {
  double degrees;
};
static void append_text(std::string& out, Celsius piece) { out += text(piece.degrees, " C"); }

namespace {

TEST(Text, joins_pieces) {
  EXPECT_EQ(text(), "");
  EXPECT_EQ(text("a", 'b', std::string("c"), std::string_view("d"), true, false), "abcdtruefalse");
}

TEST(Text, integers_of_every_width) {
  EXPECT_EQ(text(int8_t{-128}, ' ', uint8_t{255}, ' ', INT64_MIN, ' ', UINT64_MAX),
            "-128 255 -9223372036854775808 18446744073709551615");
}

TEST(Text, doubles_read_back_equal) {
  EXPECT_EQ(text(1.0), "1.0");
  EXPECT_EQ(text(-0.0), "-0.0");
  EXPECT_EQ(text(0.1), "0.1");
  EXPECT_EQ(text(0.5f), "0.5");
  EXPECT_EQ(text(1e300), "1e+300");
  EXPECT_EQ(text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(text(std::nan("")), "nan");
  for (const double value : {1.0 / 3, 5e-324, 1.7976931348623157e308, 123456789012345680.0}) {
    EXPECT_EQ(std::strtod(text(value).c_str(), nullptr), value);
  }
}

TEST(Text, ranges_nest_and_take_own_types) {
  EXPECT_EQ(text(std::vector<int>{}), "[]");
  EXPECT_EQ(text(std::vector<std::vector<int>>{{1, 2}, {}, {3}}), "[[1, 2], [], [3]]");
  EXPECT_EQ(text(std::vector<std::string>{"a", "b"}), "[a, b]");
  EXPECT_EQ(text(Celsius{20}, " and ", std::vector<Celsius>{{1.5}}), "20.0 C and [1.5 C]");
}

TEST(Text, thousands_stand_apart) {
  EXPECT_EQ(grouped("999"), "999");
  EXPECT_EQ(grouped("1000"), "1,000");
  EXPECT_EQ(grouped("-1234567.25"), "-1,234,567.25");
  EXPECT_EQ(grouped("-100"), "-100");
  EXPECT_EQ(grouped("nan"), "nan");
}

}  // namespace
}  // namespace weft
