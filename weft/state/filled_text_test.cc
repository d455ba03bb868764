// Values in texts: Python's formats, of numbers of every kind.
#include "weft/state/filled_text.h"

#include <gtest/gtest.h>

#include <limits>

#include "weft/weft.h"

namespace weft {
namespace {

TEST(FilledText, takes_values_one_after_the_other) {
  const Tensors two{tensor(1.5f), tensor({1, 2})};
  EXPECT_EQ(filled_text("a {} b {:.2f}\n", two),
            "a tensor(1.5, dtype=float32) b tensor([1, 2], dtype=int64)\n");
  EXPECT_EQ(filled_text("{:.2f}|{}", two), "1.50|tensor([1, 2], dtype=int64)");
  EXPECT_EQ(filled_text("{{{:.0f}}} {{}} }} {{", two), "{2} {} } {");
  EXPECT_EQ(filled_text("{!s:>30}|", two), "    tensor(1.5, dtype=float32)|");
  EXPECT_EQ(filled_text("{!r:.6}|", two), "tensor|");
  const Tensors numbers{Tensor::scalar(DType::kF64, 0.1), tensor(int64_t{-3}), tensor(true)};
  EXPECT_EQ(filled_text("{!n} {!n} {!n:>6}", numbers), "0.1 -3   True");
  EXPECT_EQ(text_with("{{a}} {:.3f} {}", "<>"), "{a} <> <>");
}

TEST(FilledText, formats_numbers_as_python_does) {
  struct Row {
    Tensor value;
    std::string format, expected;
  };
  const Row rows[] = {
      {Tensor::scalar(DType::kF64, 3.14159), ".3f", "3.142"},
      {Tensor::scalar(DType::kF64, -3.14159), "+.1e", "-3.1e+00"},
      {Tensor::scalar(DType::kF64, 2.5), "+08.2f", "+0002.50"},
      {Tensor::scalar(DType::kF64, 2.5), "*^9.1f", "***2.5***"},
      {Tensor::scalar(DType::kF64, 0.125), ".1%", "12.5%"},
      {Tensor::scalar(DType::kF64, 1234567.0), ",.1f", "1,234,567.0"},
      {Tensor::scalar(DType::kF64, 1234.0), "012,.1f", "00,001,234.0"},
      {Tensor::scalar(DType::kF64, 0.1), ">6", "   0.1"},
      {Tensor::scalar(DType::kF64, 1e16), ">", "1e+16"},
      {Tensor::scalar(DType::kF64, 100.0), ".3", "1e+02"},
      {Tensor::scalar(DType::kF64, 12.0), ".3", "12.0"},
      {Tensor::scalar(DType::kF64, -0.001), "z.1f", "0.0"},
      {tensor(std::numeric_limits<double>::infinity()), "6.1F", "   INF"},
      {tensor(42), "5d", "   42"},
      {tensor(-42), "05d", "-0042"},
      {tensor(-42), "<5d", "-42  "},
      {tensor(255), "#x", "0xff"},
      {tensor(255), "_b", "1111_1111"},
      {tensor(42), ".1f", "42.0"},
      {tensor(true), "d", "1"},
      {Tensor::scalar(DType::kU64, 7), "03", "007"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(formatted_number(row.value, row.format), row.expected) << row.format;
  }
}

}  // namespace
}  // namespace weft
