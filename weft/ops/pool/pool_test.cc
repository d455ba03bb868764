// Samples of the primitives of pooling.
#include "weft/ops/pool/pool_reference.h"

using namespace weft::suite;

namespace {

Arrays max_reference(const Attrs& at, const Arrays& in) {
  return max_pooled(primitive_axes(at, in[0].shape.size() - 2, true), in[0]);
}

Arrays mean_reference(const Attrs& at, const Arrays& in) {
  return {mean_pooled(primitive_axes(at, in[0].shape.size() - 2, false), in[0],
                      at.get<bool>("count_include_pad"),
                      at.get<std::optional<int64_t>>("divisor"))};
}

Arrays spread_reference(const Attrs& at, const Arrays& in) {
  const Array& g = in[0];
  const PoolAxes axes = primitive_axes(at, g.shape.size() - 2, false);
  std::vector<int64_t> shape = g.shape;
  const Ints& size = at.get<Ints>("size");
  for (size_t d = 0; d < size.size(); ++d) shape[d + 1] = size[d];
  Array out = like(g, shape);
  const auto by = divisors(axes, shape, g.shape, at.get<bool>("count_include_pad"),
                           at.get<std::optional<int64_t>>("divisor"));
  for_each_pooled(axes, shape, g.shape, [&](size_t i, int64_t from, int64_t) {
    if (from >= 0) out.values[static_cast<size_t>(from)].re += g.values[i].re / by[i];
  });
  return {out};
}

}  // namespace

WEFT_OP_TEST(nn__pool__max) {
  t.skip("symbolic", "that every window covers an element is asked when sizes are known");
  t.sample({distinct({2, 7, 2})}, "taps=[3], stride=[2]");
  t.sample({distinct({1, 5, 6, 2})}, "taps=[2, 3], stride=[1, 2], low=[1, 1], high=[0, 1]");
  t.sample({distinct({1, 6, 6, 2})}, "taps=[2, 2], stride=[1, 3], dilation=[2, 3]");
  t.sample({distinct({2, 7, 1})}, "taps=[2], stride=[3], ceil_mode=true");
  t.sample({distinct({1, 7, 5, 2})}, "places=[3, 2]");
  t.sample({distinct({1, 3, 4, 2, 2})}, "taps=[2, 2, 1]");
  t.sample({in({0, 4, 2})}, "taps=[2]");
  t.large({distinct({2, 24, 24, 70})}, "taps=[3, 3], stride=[2, 2], low=[1, 1], high=[1, 1]");
  t.reference(max_reference);
  t.error("rank", {in({3, 4})}, "taps=[2]",
          "pool.max: x has shape [3, 4]; it must be [batch, space.., channels] with 1 to 3 axes of "
          "space [pool.max.rank]");
  t.error("count", {in({2, 5, 3})}, "taps=[2, 2]",
          "pool.max: taps has 2 numbers, but x has 1 axes of space; give one for each of them "
          "[pool.max.count]");
  t.error("positive", {in({2, 5, 3})}, "taps=[0]",
          "pool.max: taps is [0]; it must be at least 1 [pool.max.positive]");
  t.error("window", {in({2, 5, 3})}, "",
          "pool.max: windows need taps, or places, but not both [pool.max.window]");
  t.error("window", {in({2, 2, 3})}, "taps=[3]",
          "pool.max: the window covers 3 places of axis 1 with padding 0 and 0 (x has shape [2, 2, "
          "3]); it must fit in, and always over some element [pool.max.window]");
}

WEFT_OP_TEST(nn__pool__mean) {
  t.skip("symbolic", "that every window covers an element is asked when sizes are known");
  t.skip("zero", "a mean of an infinity is infinite, and its gradient is divided, not chosen");
  t.sample({in({2, 7, 2})}, "taps=[3], stride=[2]");
  t.sample({in({1, 5, 6, 2})}, "taps=[2, 3], stride=[1, 2], low=[1, 1], high=[0, 1]");
  t.sample({in({1, 5, 6, 2})},
           "taps=[2, 3], stride=[1, 2], low=[1, 1], high=[0, 1], count_include_pad=false");
  t.sample({in({2, 8, 1})}, "taps=[3], stride=[3], low=[1], high=[1], ceil_mode=true");
  t.sample({in({1, 7, 5, 2})}, "places=[3, 2]");
  t.sample({in({1, 3, 4, 2, 2})}, "taps=[2, 2, 1], divisor=3");
  t.large({in({2, 24, 24, 70})}, "taps=[3, 3], stride=[2, 2], low=[1, 1], high=[1, 1]");
  t.reference(mean_reference);
  t.error("divisor", {in({2, 5, 3})}, "taps=[2], divisor=0",
          "pool.mean: the divisor is 0; it must be another [pool.mean.divisor]");
  t.error("rank", {in({3, 4})}, "taps=[2]",
          "pool.mean: x has shape [3, 4]; it must be [batch, space.., channels] with 1 to 3 axes "
          "of space [pool.mean.rank]");
  t.error("count", {in({2, 5, 3})}, "taps=[2, 2]",
          "pool.mean: taps has 2 numbers, but x has 1 axes of space; give one for each of them "
          "[pool.mean.count]");
  t.error("positive", {in({2, 5, 3})}, "taps=[2], low=[-1]",
          "pool.mean: low is [-1]; it must be at least 0 [pool.mean.positive]");
  t.error("window", {in({2, 5, 3})}, "places=[5000000]",
          "pool.mean: there are to be [5000000] places, but x has shape [2, 5, 3]; at most 4194304 "
          "places, or as many as elements, lie along an axis [pool.mean.window]");
}

WEFT_OP_TEST(nn__pool__spread) {
  t.skip("symbolic", "that every window covers an element is asked when sizes are known");
  t.skip("zero", "a cotangent of 0 is divided and added, not chosen");
  t.sample({in({2, 3, 2})}, "size=[7], taps=[3], stride=[2]");
  t.sample({in({1, 5, 3, 2})},
           "size=[5, 6], taps=[2, 3], stride=[1, 2], low=[1, 1], high=[0, 1], "
           "count_include_pad=false");
  t.sample({in({1, 3, 2, 2})}, "size=[7, 5], places=[3, 2]");
  t.sample({in({2, 3, 2})}, "size=[7], taps=[3], stride=[2], divisor=2");
  t.large({in({2, 12, 12, 70})},
          "size=[24, 24], taps=[3, 3], stride=[2, 2], low=[1, 1], high=[1, 1]");
  t.reference(spread_reference);
  t.error("rank", {in({2, 3, 2})}, "size=[7, 7], taps=[3, 3]",
          "pool.spread: g has shape [2, 3, 2], but size has 2 numbers; it must have one for each "
          "axis of space [pool.spread.rank]");
  t.error("places", {in({2, 4, 2})}, "size=[7], taps=[3], stride=[2]",
          "pool.spread: g has places [4], but the windows have [3]; they must be equal "
          "[pool.spread.places]");
  t.error("count", {in({2, 3, 2})}, "size=[7], taps=[3, 3]",
          "pool.spread: taps has 2 numbers, but x has 1 axes of space; give one for each of them "
          "[pool.spread.count]");
  t.error("positive", {in({2, 3, 2})}, "size=[7], taps=[3], stride=[0]",
          "pool.spread: stride is [0]; it must be at least 1 [pool.spread.positive]");
  t.error("divisor", {in({2, 3, 2})}, "size=[7], taps=[3], stride=[2], divisor=0",
          "pool.spread: the divisor is 0; it must be another [pool.spread.divisor]");
  t.error("window", {in({2, 3, 2})}, "size=[2], taps=[3]",
          "pool.spread: the window covers 3 places of axis 1 with padding 0 and 0 (x has shape [2, "
          "2, 2]); it must fit in, and always over some element [pool.spread.window]");
}
