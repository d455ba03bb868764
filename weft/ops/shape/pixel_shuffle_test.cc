// Samples of pixel_shuffle, pixel_unshuffle, depth_to_space, space_to_depth, unfold and fold.
#include <gtest/gtest.h>

#include "weft/ops/shape/moving_reference.h"
#include "weft/weft.h"

using namespace weft::suite;

// An image's place as three coordinates, the last of `place`.
struct Pixel {
  int64_t& channel;
  int64_t& row;
  int64_t& column;
};
static Pixel channels_first(Places& place) {
  const size_t n = place.size();
  return {place[n - 3], place[n - 2], place[n - 1]};
}
static Pixel channels_last(Places& place) {
  const size_t n = place.size();
  return {place[n - 1], place[n - 3], place[n - 2]};
}

static Arrays shuffle_reference(const Attrs& at, const Arrays& in) {
  const int64_t r = at.get<int64_t>("factor");
  Places shape = in[0].shape;
  const Pixel size = channels_first(shape);
  size.channel /= r * r, size.row *= r, size.column *= r;
  return {moved_from(in[0], shape, [&](Places place) {
    const Pixel p = channels_first(place);
    p.channel = (p.channel * r + p.row % r) * r + p.column % r;
    p.row /= r, p.column /= r;
    return place;
  })};
}
static Arrays unshuffle_reference(const Attrs& at, const Arrays& in) {
  const int64_t r = at.get<int64_t>("factor");
  Places shape = in[0].shape;
  const Pixel size = channels_first(shape);
  size.channel *= r * r, size.row /= r, size.column /= r;
  return {moved_from(in[0], shape, [&](Places place) {
    const Pixel p = channels_first(place);
    p.row = p.row * r + p.channel / r % r, p.column = p.column * r + p.channel % r;
    p.channel /= r * r;
    return place;
  })};
}
// TensorFlow's: the channel is the fastest.
static Arrays to_space_reference(const Attrs& at, const Arrays& in) {
  const int64_t r = at.get<int64_t>("factor");
  Places shape = in[0].shape;
  const Pixel size = channels_last(shape);
  size.channel /= r * r, size.row *= r, size.column *= r;
  const int64_t depth = size.channel;
  return {moved_from(in[0], shape, [&](Places place) {
    const Pixel p = channels_last(place);
    p.channel += (p.row % r * r + p.column % r) * depth;
    p.row /= r, p.column /= r;
    return place;
  })};
}
static Arrays to_depth_reference(const Attrs& at, const Arrays& in) {
  const int64_t r = at.get<int64_t>("factor");
  Places shape = in[0].shape;
  const int64_t depth = shape.back();
  const Pixel size = channels_last(shape);
  size.channel *= r * r, size.row /= r, size.column /= r;
  return {moved_from(in[0], shape, [&](Places place) {
    const Pixel p = channels_last(place);
    const int64_t cell = p.channel / depth;
    p.row = p.row * r + cell / r, p.column = p.column * r + cell % r;
    p.channel %= depth;
    return place;
  })};
}

static void errors_of_images(OpTest& t, const std::string& op, Arg odd, const std::string& text) {
  t.error("rank", {in({4, 2})}, "factor=2",
          op + ": x has shape [4, 2]; it needs the axes of channels, rows and columns [" + op +
              ".rank]");
  t.error("factor", {in({4, 2, 2})}, "factor=0",
          op + ": factor is 0; it must be at least 1 and below 2^15 [" + op + ".factor]");
  t.error("multiple", {odd}, "factor=2", op + ": " + text + " [" + op + ".multiple]");
}

WEFT_OP_TEST(nn__pixel_shuffle) {
  t.sample({in({4, 2, 3})}, "factor=2");
  t.sample({in({2, 9, 1, 2})}, "factor=3");
  t.large({in({4, 16, 40, 41})}, "factor=2");
  t.reference(shuffle_reference);
  errors_of_images(t, "pixel_shuffle", in({3, 2, 2}),
                   "axis -3 of shape [3, 2, 2] has size 3; it must be a multiple of 4");
}
WEFT_OP_TEST(nn__pixel_unshuffle) {
  t.sample({in({1, 4, 6})}, "factor=2");
  t.sample({in({2, 2, 3, 6})}, "factor=3");
  t.large({in({4, 4, 80, 82})}, "factor=2");
  t.reference(unshuffle_reference);
  errors_of_images(t, "pixel_unshuffle", in({3, 2, 3}),
                   "axis -1 of shape [3, 2, 3] has size 3; it must be a multiple of 2");
}
WEFT_OP_TEST(nn__depth_to_space) {
  t.sample({in({2, 3, 8})}, "factor=2");
  t.sample({in({2, 1, 2, 9})}, "factor=3");
  t.large({in({4, 40, 41, 16})}, "factor=2");
  t.reference(to_space_reference);
  errors_of_images(t, "depth_to_space", in({2, 2, 3}),
                   "axis -1 of shape [2, 2, 3] has size 3; it must be a multiple of 4");
}
WEFT_OP_TEST(nn__space_to_depth) {
  t.sample({in({2, 4, 3})}, "factor=2");
  t.sample({in({2, 3, 6, 1})}, "factor=3");
  t.large({in({4, 80, 82, 4})}, "factor=2");
  t.reference(to_depth_reference);
  errors_of_images(t, "space_to_depth", in({3, 2, 2}),
                   "axis -3 of shape [3, 2, 2] has size 3; it must be a multiple of 2");
}

static int64_t option(const Attrs& at, const char* name, size_t axis) {
  const Ints& numbers = at.get<Ints>(name);
  return numbers[numbers.size() == 1 ? 0 : axis];
}

// For each element of the columns the place of the image it stands for; false if it is padding.
template <class Visit>
static void for_each_window(const Attrs& at, const Places& image, Visit visit) {
  Places windows(2), kernel(2);
  for (size_t a = 0; a < 2; ++a) {
    kernel[a] = option(at, "kernel_size", a);
    const int64_t span = option(at, "dilation", a) * (kernel[a] - 1) + 1;
    windows[a] = (image[a + 1] + 2 * option(at, "padding", a) - span) / option(at, "stride", a) + 1;
  }
  const Places all{image[0], kernel[0], kernel[1], windows[0], windows[1]};
  for (int64_t i = 0; i < count(all); ++i) {
    const Places p = unravel(i, all);
    Places from{p[0], 0, 0};
    bool inside = true;
    for (size_t a = 0; a < 2; ++a) {
      from[a + 1] = p[a + 3] * option(at, "stride", a) + p[a + 1] * option(at, "dilation", a) -
                    option(at, "padding", a);
      inside = inside && from[a + 1] >= 0 && from[a + 1] < image[a + 1];
    }
    visit(i, from, inside, Places{all[0] * all[1] * all[2], all[3] * all[4]});
  }
}

static Arrays unfold_reference(const Attrs& at, const Arrays& in) {
  const Array& x = in[0];
  const Places image(x.shape.end() - 3, x.shape.end());
  const int64_t batch = count(x.shape) / std::max<int64_t>(1, count(image));
  Array out = like(x, {0});
  Places columns;
  for (int64_t b = 0; b < batch; ++b) {
    for_each_window(at, image, [&](int64_t, const Places& from, bool inside, const Places& shape) {
      const auto place = static_cast<size_t>(b * count(image) + (inside ? ravel(from, image) : 0));
      out.values.push_back(inside ? x.values[place] : ScalarValue{});
      columns = shape;
    });
  }
  if (x.shape.size() == 4) columns.insert(columns.begin(), batch);
  out.shape = columns;
  return {out};
}

static Arrays fold_reference(const Attrs& at, const Arrays& in) {
  const Array& x = in[0];
  const int64_t window = option(at, "kernel_size", 0) * option(at, "kernel_size", 1);
  Places image{x.shape[x.shape.size() - 2] / window, option(at, "output_size", 0),
               option(at, "output_size", 1)};
  const int64_t batch = x.shape.size() == 3 ? x.shape[0] : 1;
  Places shape = image;
  if (x.shape.size() == 3) shape.insert(shape.begin(), batch);
  Array out = like(x, shape);
  const int64_t each = count(x.shape) / batch;
  for (int64_t b = 0; b < batch; ++b) {
    for_each_window(at, image, [&](int64_t i, const Places& to, bool inside, const Places&) {
      if (!inside) return;
      ScalarValue& sum = out.values[static_cast<size_t>(b * count(image) + ravel(to, image))];
      const ScalarValue& v = x.values[static_cast<size_t>(b * each + i)];
      const bool is_bool = x.dtype == DType::kBool;
      sum = {sum.re + v.re, sum.im + v.im, is_bool ? sum.i | v.i : sum.i + v.i};
    });
  }
  return {out};
}

WEFT_OP_TEST(nn__unfold) {
  t.skip("symbolic", "windows are counted");
  t.sample({in({2, 4, 5})}, "kernel_size=[2, 3]");
  t.sample({in({2, 1, 4, 5})}, "kernel_size=[2], stride=[2, 1], padding=[1, 0]");
  t.sample({in({1, 5, 5})}, "kernel_size=[2], dilation=[2]");
  t.large({in({4, 3, 40, 41})}, "kernel_size=[3], padding=[1]");
  t.reference(unfold_reference);
  t.error("rank", {in({4, 5})}, "kernel_size=[2]",
          "unfold: x has shape [4, 5]; it must be [channels, rows, columns] or [batch, channels, "
          "rows, columns] [unfold.rank]");
  t.error("window", {in({1, 4, 5})}, "kernel_size=[0]",
          "unfold: kernel_size 0, dilation 1, padding 0 and stride 1 make no window; all but the "
          "padding, which may be 0, are at least 1 [unfold.window]");
  t.error("count", {in({1, 4, 5})}, "kernel_size=[1, 2, 3]",
          "unfold: kernel_size is [1, 2, 3]; give one number, or one for rows and one for columns "
          "[unfold.count]");
  t.error("size", {in({1, 2, 5})}, "kernel_size=[3]",
          "unfold: an axis of size 2 with padding 0 is smaller than a window of 3 elements "
          "[unfold.size]");
}

WEFT_OP_TEST(nn__fold) {
  t.skip("symbolic", "windows are counted");
  t.sample({in({4, 6})}, "output_size=[3, 4], kernel_size=[2]");
  t.sample({in({2, 6, 4})}, "output_size=[3, 4], kernel_size=[2, 3]");
  t.sample({in({4, 6})}, "output_size=[4, 3], kernel_size=[2], stride=[2, 1], padding=[1, 0]");
  t.large({in({4, 27, 1640})}, "output_size=[40, 41], kernel_size=[3], padding=[1]");
  t.reference(fold_reference);
  t.error("rank", {in({4})}, "output_size=[3, 4], kernel_size=[2]",
          "fold: x has shape [4]; it must be [channels * window, windows] or [batch, channels * "
          "window, windows] [fold.rank]");
  t.error("shape", {in({4, 5})}, "output_size=[3, 4], kernel_size=[2]",
          "fold: x has shape [4, 5]; with windows of 2 by 2 there must be a multiple of 4 rows and "
          "6 columns [fold.shape]");
}

// Windows of 2 by 2 in an image of 3 by 4, put back where they were: how many read each element.
TEST(Fold, TakesOptionsByName) {
  const weft::Tensor columns = weft::nn::unfold(weft::ones({1, 3, 4}), {.kernel_size = {2}});
  EXPECT_EQ(columns.shape()[0], weft::Dim(4));
  EXPECT_EQ(columns.shape()[1], weft::Dim(6));
  const weft::Tensor sums = weft::nn::fold(columns, {.output_size = {3, 4}, .kernel_size = {2}});
  EXPECT_EQ(sums.to_vector<float>(), (std::vector<float>{1, 2, 2, 1, 2, 4, 4, 2, 1, 2, 2, 1}));
  const weft::Tensor far = weft::nn::unfold(
      weft::ones({1, 3, 4}), {.kernel_size = {2, 3}, .dilation = {2, 1}, .padding = {1, 0}});
  EXPECT_EQ(far.shape()[0], weft::Dim(6));
  EXPECT_EQ(far.shape()[1], weft::Dim(6));
}
