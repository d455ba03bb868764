// The dtype that sums and products compute in, and gradients at awkward points.
#include <gtest/gtest.h>

#include "weft/op/apply.h"
#include "weft/ops/creation/tensor.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace {

Tensor sum_in(const Tensor& x, DType dtype) {
  return apply(kSum, inputs(x), SumAttrs{.axis = {}, .dtype = dtype, .keepdims = false},
               Where::here());
}

TEST(ReduceDtype, IsWhatIsComputedIn) {
  const Tensor x = tensor({16777216.0, 1.0, 1.0});
  EXPECT_EQ(sum_in(x, DType::kF64).item(), 16777218);
  EXPECT_EQ(sum_in(tensor({0.5, 0.75}), DType::kI32).item_int(), 0);
  EXPECT_EQ(text(sum_in(tensor({1, 2}), DType::kI8).type()), "i8[]");
  EXPECT_EQ(sum_in(tensor({200, 100}), DType::kU8).item_int(), 44);
  EXPECT_EQ(sum_in(tensor({60000.0, 60000.0}, DType::kF16), DType::kF32).item(), 120000);
}

TEST(ReduceDtype, OfAMeanDoesNotOverflow) {
  const Tensor x = tensor({60000.0, 60000.0}, DType::kF16);
  EXPECT_EQ(mean(x).item(), 60000);
}

TEST(MaxGradient, IsSharedByTies) {
  const Tensor x = tensor({{1.0, 3.0, 3.0}}), g = tensor({1.0});
  const ReduceAttrs at{Ints{1}, false};
  const Tensors in{x}, out{max(x, Ints{1})};
  const bool wanted[] = {true};
  const Tensors got = call_vjp(kMax, &at, {in, out, wanted, Where{}}, inputs(g));
  EXPECT_EQ(got[0].to_vector<float>(), (std::vector<float>{0, 0.5, 0.5}));
}

}  // namespace
}  // namespace weft
