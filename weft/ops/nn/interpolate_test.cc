// Samples of interpolate.
#include <algorithm>
#include <cmath>

#include "weft/ops/nn/conv_call_reference.h"

using namespace weft::suite;

namespace {

long double weight_of(const std::string& mode, long double at, int64_t p) {
  const long double x = std::abs(at - static_cast<long double>(p));
  if (mode != "bicubic") return std::max(0.0L, 1 - x);
  const long double a = -0.75L;
  if (x <= 1) return (a + 2) * x * x * x - (a + 3) * x * x + 1;
  return x < 2 ? a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a : 0;
}

// One axis of x after the other.
Array along(const std::string& mode, bool align, const Array& x, size_t axis, int64_t places,
            long double step) {
  const int64_t size = x.shape[axis];
  std::vector<int64_t> shape = x.shape;
  shape[axis] = places;
  Array out = like(x, shape);
  for (size_t i = 0; i < out.values.size(); ++i) {
    std::vector<int64_t> index = unravel(static_cast<int64_t>(i), shape);
    const auto place = static_cast<long double>(index[axis]);
    const auto read = [&](int64_t p) {
      index[axis] = std::clamp<int64_t>(p, 0, size - 1);
      return x.values[static_cast<size_t>(ravel(index, x.shape))].re;
    };
    long double& to = out.values[i].re;
    if (mode == "nearest") {
      to = read(static_cast<int64_t>(std::floor(place * step)));
      continue;
    }
    if (mode == "nearest-exact") {
      to = read(static_cast<int64_t>(std::floor((place + 0.5L) * step)));
      continue;
    }
    if (mode == "area") {
      const int64_t p = index[axis], begin = p * size / places;
      const int64_t end = ((p + 1) * size + places - 1) / places;
      for (int64_t q = begin; q < end; ++q) to += read(q) / static_cast<long double>(end - begin);
      continue;
    }
    long double at = (place + 0.5L) * step - 0.5L;
    if (align)
      at = places > 1
               ? place * static_cast<long double>(size - 1) / static_cast<long double>(places - 1)
               : 0;
    if (mode != "bicubic") at = std::max(at, 0.0L);
    const auto from = static_cast<int64_t>(std::floor(at));
    const int64_t more = mode == "bicubic" ? 1 : 0;
    for (int64_t p = from - more; p <= from + 1 + more; ++p) to += weight_of(mode, at, p) * read(p);
  }
  return out;
}

Arrays reference(const Attrs& attrs, const Arrays& in) {
  const auto& format = attrs.get<std::string>("data_format");
  const bool last = !format.empty() && format.back() == 'C';
  const auto& size = attrs.get<std::optional<Ints>>("size");
  const auto& factor = attrs.get<std::optional<double>>("scale_factor");
  Array x = in[0];
  for (size_t d = 0; d + 2 < in[0].shape.size(); ++d) {
    const size_t axis = d + (last ? 1 : 2);
    const auto own = static_cast<long double>(x.shape[axis]);
    const int64_t places = factor ? static_cast<int64_t>(std::floor(own * *factor))
                                  : (*size)[size->size() == 1 ? 0 : d];
    x = along(
        attrs.get<std::string>("mode"), attrs.get<bool>("align_corners"), x, axis, places,
        factor ? 1 / static_cast<long double>(*factor) : own / static_cast<long double>(places));
  }
  return {x};
}

}  // namespace

WEFT_OP_TEST(nn__interpolate) {
  t.skip("symbolic", "weights are those of known sizes");
  t.skip("zero", "elements are weighed, not chosen: 0 times infinity is NaN");
  t.sample({in({2, 2, 5})}, "size=[8]");
  t.sample({in({1, 2, 3, 4})}, "scale_factor=2.0");
  t.sample({in({1, 2, 3, 4})}, "size=[5, 2], mode=\"nearest-exact\"");
  t.sample({in({1, 2, 5})}, "size=[9], mode=\"linear\"");
  t.sample({in({1, 2, 5})}, "size=[9], mode=\"linear\", align_corners=true");
  t.sample({in({1, 1, 3, 4})}, "size=[5, 3], mode=\"bilinear\"");
  t.sample({in({1, 3, 4, 2})}, "scale_factor=1.5, mode=\"bilinear\", data_format=\"NHWC\"");
  t.sample({in({1, 1, 2, 3, 2})}, "size=[3, 2, 4], mode=\"trilinear\"");
  t.sample({in({1, 1, 4, 5})}, "size=[7, 4], mode=\"bicubic\"");
  t.sample({in({1, 1, 4, 5})}, "size=[7, 4], mode=\"bicubic\", align_corners=true");
  t.sample({in({1, 2, 5, 7})}, "size=[2, 3], mode=\"area\"");
  t.large({in({2, 8, 24, 24})}, "size=[50], mode=\"bilinear\"");
  t.reference(reference);
  t.tolerance(8, "up to 16 terms with weights rounded to f16 or bf16, axis by axis");
  t.error("rank", {in({2, 3})}, "size=[2]",
          "interpolate: x has shape [2, 3]; it must be [batch, channels, space..] with 1 to 3 axes "
          "of space [interpolate.rank]");
  t.error("size", {in({1, 2, 3})}, "",
          "interpolate: give size or scale_factor, one of the two [interpolate.size]");
  t.error("size", {in({1, 2, 3})}, "scale_factor=0.1",
          "interpolate: scale_factor is 0.1 for axes of space [3]; what comes out must have "
          "between 1 and 2^24 elements an axis [interpolate.size]");
  t.error("mode", {in({1, 2, 3})}, "size=[2], mode=\"bicubic\"",
          "interpolate: mode is \"bicubic\" for 1 axes of space; it must be \"nearest\", "
          "\"nearest-exact\", \"linear\", \"area\" or, for 2, \"bicubic\" [interpolate.mode]");
  t.error("align_corners", {in({1, 2, 3})}, "size=[2], align_corners=true",
          "interpolate: align_corners is given with mode \"nearest\"; only linear and cubic ones "
          "have it [interpolate.align_corners]");
  t.error("data_format", {in({1, 2, 3})}, "size=[2], data_format=\"CN\"",
          "interpolate: data_format is \"CN\"; it must be \"NCW\" or \"NWC\" "
          "[interpolate.data_format]");
}

WEFT_OP_TEST(nn__interpolate__axis) {
  t.sample({in({2, 5})}, "axis=1, places=8, step=0.625");
  t.sample({in({2, 5, 3})}, "axis=-2, places=3, step=1.75, cubic=true");
  t.sample({in({4})}, "axis=0, places=9, align_corners=true");
  t.sample({in({1, 3})}, "axis=1, places=1, align_corners=true, cubic=true");
  t.sample({in({0, 3})}, "axis=1, places=2");
  t.large({in({40, 60, 33})}, "axis=1, places=117, step=0.5");
  t.reference([](const Attrs& at, const Arrays& in) -> Arrays {
    const auto rank = static_cast<int64_t>(in[0].shape.size());
    const int64_t axis = at.get<int64_t>("axis");
    return {along(at.get<bool>("cubic") ? "bicubic" : "linear", at.get<bool>("align_corners"),
                  in[0], static_cast<size_t>(axis < 0 ? axis + rank : axis),
                  at.get<int64_t>("places"), at.get<double>("step"))};
  });
  t.error(
      "size", {in({2, 0})}, "axis=1, places=2",
      "interpolate.axis: an axis of size 0 is to have 2 places; it needs elements, and between 1 "
      "and 16777216 places [interpolate.axis.size]");
  t.error("step", {in({2, 3})}, "axis=1, places=2, step=-0.5",
          "interpolate.axis: step is -0.5; it must be positive and finite [interpolate.axis.step]");
}
