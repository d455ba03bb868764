// Samples of dynamic_slice and dynamic_update_slice.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

namespace {

// Where the window begins: negative starts count from the end, and the window lies inside.
Places starts_of(const Arrays& in, size_t first, const Places& sizes) {
  Places out;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t size = in[0].shape[i], given = in[first + i].values[0].i;
    const int64_t start = given < 0 ? given + size : given;
    out.push_back(std::clamp<int64_t>(start, 0, size - sizes[i]));
  }
  return out;
}

Places sum_of(Places a, const Places& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

Arrays slice_reference(const Attrs& at, const Arrays& in) {
  const Places sizes = places_of(at.get<Shape>("sizes"));
  const Places start = starts_of(in, 1, sizes);
  return {moved_from(in[0], sizes, [&](const Places& place) { return sum_of(place, start); })};
}

Arrays update_reference(const Attrs&, const Arrays& in) {
  Array out = in[0];
  const Places start = starts_of(in, 2, in[1].shape);
  for (size_t i = 0; i < in[1].values.size(); ++i) {
    const Places place = sum_of(unravel(static_cast<int64_t>(i), in[1].shape), start);
    out.values[static_cast<size_t>(ravel(place, out.shape))] = in[1].values[i];
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(dynamic_slice) {
  t.sample({in({5, 4}), indices({}, {1}), indices({}, {2})}, "sizes=[2, 2]");
  t.sample({in({5, 4}), indices({}, {-2}), indices({}, {0})}, "sizes=[2, 4]");
  t.sample({in({5, 4}), indices({}, {4}), indices({}, {-9})}, "sizes=[3, 1]");
  t.sample({in({4, 4, 4}), indices({}, {1}), indices({}, {0}), indices({}, {2})},
           "sizes=[2, 2, 2]");
  t.sample({in({3}), indices({}, {7})}, "sizes=[0]");
  t.large({in({300, 301}), indices({}, {3}), indices({}, {150})}, "sizes=[299, 150]");
  t.reference(slice_reference);
  t.error("count", {in({5, 4}), indices({}, {1})}, "sizes=[2, 2]",
          "dynamic_slice: got 1 starts for x of shape [5, 4]; give one for each axis "
          "[dynamic_slice.count]");
  t.error("rank", {in({5, 4}), indices({}, {1}), indices({}, {1})}, "sizes=[2]",
          "dynamic_slice: the window has shape [2] but x has shape [5, 4]; their ranks must be "
          "equal [dynamic_slice.rank]");
  t.error("start", {in({5}), indices({1}, {1})}, "sizes=[2]",
          "dynamic_slice: the start of axis 0 has shape [1]; starts are single integers "
          "[dynamic_slice.start]");
  t.error("size", {in({5, 4}), indices({}, {1}), indices({}, {1})}, "sizes=[2, 5]",
          "dynamic_slice: the window has shape [2, 5], which does not fit x of shape [5, 4]: sizes "
          "of axis 1 go from 0 to 4 [dynamic_slice.size]");
  t.error("index_dtype", {in({3}), typed(indices({}, {0}), DType::kU64)}, "sizes=[1]",
          "dynamic_slice: indices have dtype uint64, which int64 does not hold; cast them first "
          "[dynamic_slice.index_dtype]");
}

WEFT_OP_TEST(dynamic_update_slice) {
  t.sample({in({5, 4}), in({2, 2}), indices({}, {1}), indices({}, {2})});
  t.sample({in({5, 4}), in({2, 4}), indices({}, {-2}), indices({}, {0})});
  t.sample({in({5, 4}), in({3, 1}), indices({}, {4}), indices({}, {-9})});
  t.sample({in({4, 4, 4}), in({2, 2, 2}), indices({}, {1}), indices({}, {0}), indices({}, {2})});
  t.sample({in({3}), in({0}), indices({}, {7})});
  t.large({in({300, 301}), in({299, 150}), indices({}, {3}), indices({}, {150})});
  t.reference(update_reference);
  t.error("count", {in({5, 4}), in({2, 2}), indices({}, {1})}, "",
          "dynamic_update_slice: got 1 starts for x of shape [5, 4]; give one for each axis "
          "[dynamic_update_slice.count]");
  t.error("rank", {in({5, 4}), in({2}), indices({}, {1}), indices({}, {1})}, "",
          "dynamic_update_slice: the window has shape [2] but x has shape [5, 4]; their ranks must "
          "be equal [dynamic_update_slice.rank]");
  t.error("start", {in({5}), in({2}), indices({1}, {1})}, "",
          "dynamic_update_slice: the start of axis 0 has shape [1]; starts are single integers "
          "[dynamic_update_slice.start]");
  t.error("size", {in({5, 4}), in({2, 5}), indices({}, {1}), indices({}, {1})}, "",
          "dynamic_update_slice: the window has shape [2, 5], which does not fit x of shape [5, "
          "4]: sizes of axis 1 go from 0 to 4 [dynamic_update_slice.size]");
  t.error(
      "index_dtype", {in({3}), in({1}), typed(indices({}, {0}), DType::kU64)}, "",
      "dynamic_update_slice: indices have dtype uint64, which int64 does not hold; cast them first "
      "[dynamic_update_slice.index_dtype]");
}
