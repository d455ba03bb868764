// number: Python's arithmetic, bit for bit, and what it raises.
#include "weft/state/number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "weft/op/apply.h"
#include "weft/weft.h"

namespace weft {
namespace {

Tensor computed(std::string operation, TensorSpan in) {
  const NumberAttrs attrs{std::move(operation)};
  return apply_prepared(kNumber, in, &attrs, Where::here())[0];
}
Tensor integer(int64_t value) {  // a double would not hold each of them
  const Tensor out = Tensor::empty(DType::kI64, {});
  *static_cast<int64_t*>(out.writable_data()) = value;
  return out;
}
double of(const char* operation, double a, double b) {
  return computed(operation, inputs(Tensor::scalar(DType::kF64, a), Tensor::scalar(DType::kF64, b)))
      .item();
}
int64_t of(const char* operation, int64_t a, int64_t b) {
  return computed(operation, inputs(integer(a), integer(b))).item_int();
}
int64_t of(const char* operation, int64_t a) {
  return computed(operation, inputs(integer(a))).item_int();
}
template <class... T>
std::string refusal(const char* operation, T... numbers) {
  try {
    of(operation, numbers...);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Number, computes_floats_as_python_does) {
  EXPECT_EQ(of("**", 0.1, 0.5), std::pow(0.1, 0.5));
  EXPECT_EQ(of("/", 1.0, 3.0), 1.0 / 3.0);
  EXPECT_EQ(of("//", -7.5, 2.0), -4.0);
  EXPECT_EQ(of("//", 1.0, 0.1), 9.0);  // 0.1 is more than a tenth
  EXPECT_EQ(of("%", 1.0, 0.1), 0.09999999999999995);
  EXPECT_EQ(of("%", -7.5, 2.0), 0.5);
  EXPECT_TRUE(std::signbit(of("%", 6.0, -3.0)));
  EXPECT_TRUE(std::signbit(of("//", -0.0, 3.0)));
  EXPECT_EQ(computed("int", inputs(Tensor::scalar(DType::kF64, -2.7))).item_int(), -2);
}

TEST(Number, computes_integers_as_python_does) {
  EXPECT_EQ(of("//", int64_t{-7}, int64_t{2}), -4);
  EXPECT_EQ(of("%", int64_t{-7}, int64_t{2}), 1);
  EXPECT_EQ(of("//", int64_t{7}, int64_t{-2}), -4);
  EXPECT_EQ(of("%", int64_t{7}, int64_t{-2}), -1);
  EXPECT_EQ(of("%", INT64_MIN, int64_t{-1}), 0);
  EXPECT_EQ(of("**", int64_t{-3}, int64_t{39}), -4052555153018976267);
  EXPECT_EQ(of("**", int64_t{2}, int64_t{0}), 1);
  EXPECT_EQ(of("-", int64_t{2}, int64_t{5}), -3);
}

TEST(Number, broadcasts) {
  const Tensor out = computed("+", inputs(tensor({1, 2, 3}), tensor(int64_t{10})));
  EXPECT_EQ(out.to_vector<int64_t>(), (std::vector<int64_t>{11, 12, 13}));
}

TEST(Number, raises_where_python_does_or_64_bits_end) {
  EXPECT_EQ(refusal("/", 1.0, 0.0),
            "number: 1.0 is divided by 0.0; the divisor must not be 0 [number.defined]");
  EXPECT_EQ(refusal("%", int64_t{1}, int64_t{0}),
            "number: 1 is divided by 0; the divisor must not be 0 [number.defined]");
  EXPECT_EQ(refusal("**", -1.0, 0.5),
            "number: -1.0 to the power of 0.5 is no finite float [number.defined]");
  EXPECT_EQ(refusal("**", int64_t{2}, int64_t{-1}),
            "number: 2 to the power of -1 is no integer; make one of them a float "
            "[number.defined]");
  EXPECT_EQ(refusal("+", INT64_MAX, int64_t{1}),
            "number: 9223372036854775807 + 1 needs more than 64 bits, which an integer of a graph "
            "has; make one of them a float [number.fits]");
  EXPECT_EQ(refusal("//", INT64_MIN, int64_t{-1}),
            "number: -9223372036854775808 * -1 needs more than 64 bits, which an integer of a "
            "graph has; make one of them a float [number.fits]");
  EXPECT_EQ(computed("float16", inputs(Tensor::scalar(DType::kF64, 0.1))).item(), 0.1);
  EXPECT_EQ(refusal("int8", int64_t{300}),
            "number: a number is 300, but int8 holds -128 to 127; use a dtype that holds it "
            "[number.fits]");
  EXPECT_NE(refusal("?", 1.0, 1.0).find("[number.operation]"), std::string::npos);
}

}  // namespace
}  // namespace weft
