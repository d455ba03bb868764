// Packed weights are dropped by whoever writes to the weights in place.
#include <gtest/gtest.h>

#include <vector>

#include "weft/core/kept_copy.h"
#include "weft/kernels/conv/conv.h"
#include "weft/ops/nn/conv_call.h"
#include "weft/weft.h"

namespace weft {
namespace {

Tensor spread(const Shape& shape) {
  const Tensor count = cast(arange(num_elements(shape).value()), DType::kF32);
  return reshape(sin(count), shape);
}

std::vector<float> conv_of(const Tensor& x, const Tensor& w) {
  ConvCallAttrs at;
  return nn::conv2d(x, w, Tensor(), at).to_vector<float>();
}

TEST(KeptWeights, AssignAddInPlaceDropsThem) {
  const Tensor x = spread({1, 16, 6, 6});
  const Variable w(spread({24, 16, 3, 3}));
  const int64_t before = kernels::weight_packings();
  const std::vector<float> first = conv_of(x, w.value());
  for (int i = 0; i < 2; ++i) EXPECT_EQ(conv_of(x, w.value()), first);
  EXPECT_EQ(kernels::weight_packings(), before + 2);
  EXPECT_EQ(kept_copies_of(w.value()), 1);
  const void* const place = w.value().data();
  w.assign_add(spread({24, 16, 3, 3}));
  EXPECT_EQ(w.value().data(), place);
  EXPECT_EQ(kept_copies_of(w.value()), 0);
  const std::vector<float> second = conv_of(x, w.value());
  EXPECT_NE(second, first);
  EXPECT_EQ(second, conv_of(x, spread({24, 16, 3, 3}) * 2.0));
  EXPECT_EQ(kernels::weight_packings(), before + 4);
}

TEST(KeptWeights, AssignmentBringsNewOnes) {
  const Tensor x = spread({1, 16, 6, 6});
  const Variable w(spread({24, 16, 3, 3}));
  conv_of(x, w.value());
  w.assign(w.value() * 2.0);
  EXPECT_EQ(conv_of(x, w.value()), conv_of(x, spread({24, 16, 3, 3}) * 2.0));
}

}  // namespace
}  // namespace weft
