// vmap over trees: axes of arguments, results and leaves, names, sizes and draws.
#include <gtest/gtest.h>

#include "weft/transform/test_values.h"
#include "weft/weft.h"

namespace weft {
namespace {

TEST(Vmap, AxesOfArgumentsAndResults) {
  const Tensor a = tensor({{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}});
  const auto scaled = [](const Tensor& x, const Tensor& y) { return x * y; };
  const Tensor columns =
      vmap(scaled, {.in_axes = {1, std::nullopt}, .out_axes = {1}})(a, tensor({1.0f, 10.0f}));
  EXPECT_EQ(values(columns), (Floats{1, 2, 3, 40, 50, 60}));
  const auto both = [](const Tensor& x) { return std::pair(x * 2.0, sum(x)); };
  const auto [doubled, total] = vmap(both, {.in_axes = {-1}, .out_axes = {-1, 0}})(a);
  EXPECT_EQ(values(doubled), (Floats{2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(values(total), (Floats{5, 7, 9}));
  EXPECT_EQ(law_of([&] { vmap(scaled, {.in_axes = {0, 0, 0}})(a, a); }), "vmap.in_axes");
  EXPECT_EQ(law_of([&] { vmap(both, {.out_axes = {0, 0, 0}})(a); }), "vmap.out_axes");
}

TEST(Vmap, AxesOfLeaves) {
  const Layer layer{tensor({{1.0f, 2.0f}, {3.0f, 4.0f}}), tensor({10.0f, 20.0f})};
  const auto f = [](const Layer& l, const Tensor& x) { return Layer{l.weight * x, l.bias + x}; };
  const Layer out = vmap(f, {.in_axes = {{1, std::nullopt}, 0}})(layer, tensor({1.0f, 2.0f}));
  EXPECT_EQ(values(out.weight), (Floats{1, 3, 4, 8}));
  EXPECT_EQ(values(out.bias), (Floats{11, 21, 12, 22}));
  const auto bad = [&] { vmap(f, {.in_axes = {{0, 0, 0}, 0}})(layer, ones({2})); };
  EXPECT_EQ(law_of(bad), "vmap.in_axes");
  const auto centred = [](const Layer& l) {
    const Layer mean = pmean(l, "row"), total = psum(l, "row");
    return Layer{l.weight - mean.weight, total.bias};
  };
  const Layer centre = vmap(centred, {.axis_name = "row"})(layer);
  EXPECT_EQ(values(centre.weight), (Floats{-1, -1, 1, 1}));
  EXPECT_EQ(values(centre.bias), (Floats{30, 30}));
}

TEST(Vmap, SizeNameAndRandomness) {
  const auto index = [](const Tensor& x) { return x + axis_index("row"); };
  const VmapOptions named{.in_axes = {std::nullopt}, .axis_size = 3, .axis_name = "row"};
  EXPECT_EQ(values(vmap(index, named)(scalar(10))), (Floats{10, 11, 12}));
  const auto noise = [](const Tensor& x) { return x + randn({}); };
  EXPECT_EQ(law_of([&] { vmap(noise)(zeros({2})); }), "vmap.randomness");
  const Floats same = values(vmap(noise, {.randomness = Randomness::kSame})(zeros({2})));
  EXPECT_EQ(same[0], same[1]);
  const Floats drawn = values(vmap(noise, {.randomness = Randomness::kDifferent})(zeros({2})));
  EXPECT_NE(drawn[0], drawn[1]);
}

}  // namespace
}  // namespace weft
