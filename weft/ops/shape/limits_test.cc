// Sizes that do not fit raise; none of them aborts or allocates.
#include <gtest/gtest.h>

#include "weft/base/error.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/creation/tensor.h"
#include "weft/ops/random/key.h"
#include "weft/ops/random/random.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

constexpr int64_t kHuge = int64_t{1} << 61;

TEST(HugeSizes, RaiseInEveryOpThatTakesASize) {
  const Tensor x = tensor({{1.0, 2.0}, {3.0, 4.0}});
  const Tensor classes = tensor({0, 1});
  const Tensor key = random::Key(0).words();
  EXPECT_THROW(zeros({kHuge, kHuge}), Error);
  EXPECT_THROW(ones({kHuge, kHuge}), Error);
  EXPECT_THROW(eye(kHuge), Error);
  EXPECT_THROW(arange(kHuge), Error);
  EXPECT_THROW(linspace(0.0, 1.0, kHuge), Error);
  EXPECT_THROW(pad(x, {kHuge, 0}, {kHuge, kHuge}), Error);
  EXPECT_THROW(pad(x, {INT64_MAX, 0}, {0, 0}), Error);
  EXPECT_THROW(one_hot(classes, kHuge), Error);
  EXPECT_THROW(broadcast_to(tensor(1.0), {kHuge, kHuge}), Error);
  EXPECT_THROW(reshape(x, {kHuge, kHuge}), Error);
  EXPECT_THROW(split(x, {INT64_MAX, INT64_MAX}), Error);
  EXPECT_THROW(random::uniform(key, {kHuge}), Error);
  EXPECT_THROW(random::permutation(key, kHuge), Error);
  EXPECT_THROW(random::split(key, kHuge), Error);
}

}  // namespace
}  // namespace weft
