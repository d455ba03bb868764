// x[...] and x.at[...] from C++: the ways to write an index, where axes go, and what is refused.
#include "weft/ops/shape/advanced_index.h"

#include <gtest/gtest.h>

#include "weft/base/error.h"
#include "weft/core/tensor.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/math/math.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

using Values = std::vector<int64_t>;

Tensor counted(const Shape& shape) { return reshape(arange(num_elements(shape).value()), shape); }
Tensor ints(std::initializer_list<int64_t> values) {
  Tensors all;
  for (int64_t value : values)
    all.push_back(Tensor::scalar(DType::kI64, static_cast<double>(value)));
  return stack(all);
}
Values values_of(const Tensor& x) { return x.to_vector<int64_t>(); }
std::string shape_of(const Tensor& x) { return text(x.shape()); }

TEST(AdvancedIndex, BasicEntriesAreViews) {
  const Tensor x = counted({3, 4});
  EXPECT_EQ(values_of(index(x, {1, Range{1, 3}})), (Values{5, 6}));
  EXPECT_EQ(values_of(index(x, {kEllipsis, -1})), (Values{3, 7, 11}));
  EXPECT_EQ(shape_of(index(x, {kNewAxis, Range{{}, {}, 2}})), "[1, 2, 4]");
  EXPECT_TRUE(index(x, {1}).shares_memory_with(x));
}

TEST(AdvancedIndex, TensorsStandWhereTheyAreOrInFront) {
  const Tensor x = counted({2, 3, 4}), i = ints({1, 0}), k = ints({3, 3});
  EXPECT_EQ(values_of(index(x, {i, 2, k})), (Values{23, 11}));
  EXPECT_EQ(shape_of(index(x, {Range{}, ints({0, 1, 2, 0, 0}), ints({3})})), "[2, 5]");
  EXPECT_EQ(shape_of(index(x, {i, Range{}, k})), "[2, 3]");
  EXPECT_EQ(shape_of(index(x, {0, Range{}, k})), "[2, 3]");  // separated: in front
  EXPECT_EQ(shape_of(index(x, {Range{}, 0, k})), "[2, 2]");
  EXPECT_EQ(shape_of(index(x, {kEllipsis, kNewAxis, k})), "[2, 3, 1, 2]");
}

TEST(AdvancedIndex, MasksReadAndWrite) {
  const Tensor x = counted({2, 3});
  const Tensor odd = equal(remainder(x, 2), 1);
  EXPECT_EQ(values_of(index(x, {odd})), (Values{1, 3, 5}));
  EXPECT_EQ(values_of(at(x, {odd}).set(0)), (Values{0, 0, 2, 0, 4, 0}));
  EXPECT_EQ(values_of(at(x, {odd}).add(ints({10, 20, 30}))), (Values{0, 11, 2, 23, 4, 35}));
}

TEST(AdvancedIndex, UpdatesMeetInOrder) {
  const Tensor x = counted({3}), i = ints({1, 1, 2});
  EXPECT_EQ(values_of(at(x, {i}).set(ints({5, 6, 7}))), (Values{0, 6, 7}));
  EXPECT_EQ(values_of(at(x, {i}).add(ints({5, 6, 7}))), (Values{0, 12, 9}));
  EXPECT_EQ(values_of(at(x, {i}).subtract(1)), (Values{0, -1, 1}));
  EXPECT_EQ(values_of(at(x, {i}).multiply(ints({5, 6, 7}))), (Values{0, 30, 14}));
  EXPECT_EQ(values_of(at(x, {i}).max(ints({5, 6, 0}))), (Values{0, 6, 2}));
  EXPECT_EQ(values_of(at(x, {i}).min(0)), (Values{0, 0, 0}));
  EXPECT_EQ(values_of(at(x, {Range{1}}).set(9)), (Values{0, 9, 9}));
  EXPECT_EQ(values_of(at(counted({2, 3}), {Range{{}, {}, -1}, ints({0, 0})}).set(ints({7, 8}))),
            (Values{8, 1, 2, 8, 4, 5}));
}

std::string refusal(const Tensor& x, std::initializer_list<IndexEntry> entries) {
  try {
    index(x, entries);
    return "nothing was raised";
  } catch (const Error& error) {
    const std::string message = error.what();
    return message.substr(0, message.find('\n'));
  }
}

TEST(AdvancedIndex, RefusesWithTheIndexAndItsPlace) {
  const Tensor x = counted({2, 3});
  EXPECT_EQ(refusal(x, {equal(ints({0, 0, 0}), 0)}),
            "index: a mask of shape [3] does not fit x of shape [2, 3] from axis 0 on; its sizes "
            "must be those of x, or 0 [index.mask]");
  EXPECT_EQ(refusal(x, {zeros({1})}),
            "index: an index has dtype float32; indices are integers, ranges or bools "
            "[index.dtype]");
  EXPECT_EQ(refusal(x, {ints({0, 2}), 0}),
            "take: index 2 at position [1] is out of range for axis 0 with size 2 [take.range]");
  EXPECT_EQ(refusal(x, {ints({0, 1}), ints({0, 3})}),
            "index_at: index 3 at position [1] is out of range for axis 1 with size 3 "
            "[index_at.range]");
}

TEST(AdvancedIndex, AnUpdateKeepsTheDtype) {
  try {
    at(counted({2, 3}), {0}).set(1.5);
    FAIL() << "nothing was raised";
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what())
                    .starts_with("at: x has dtype int64, but with the value (a float) the result "
                                 "would have float32; an update keeps the dtype of x: cast the "
                                 "value, or x first [at.dtype]"))
        << error.what();
  }
  EXPECT_EQ(at(zeros({2}), {0}).set(2).dtype(), DType::kF32);
}

}  // namespace
}  // namespace weft
