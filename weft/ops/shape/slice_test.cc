// Samples of slice.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

// For each axis of x where it is read, from the axes of the result; new axes are dropped.
static Arrays reference(const Attrs& at, const Arrays& in) {
  const Array& x = in[0];
  Index index = at.get<Index>("index");
  size_t used = 0, dots = index.size();
  for (size_t i = 0; i < index.size(); ++i) {
    used += index[i].kind == IndexItem::Kind::kInteger || index[i].kind == IndexItem::Kind::kRange;
    if (index[i].kind == IndexItem::Kind::kEllipsis) dots = i;
  }
  if (dots < index.size()) index.erase(dots);
  for (; used < x.shape.size(); ++used) index.insert(dots, IndexItem{});
  Places shape, starts, steps;
  std::vector<int> kinds;
  size_t axis = 0;
  for (const IndexItem& item : index) {
    if (item.kind == IndexItem::Kind::kNewAxis) {
      shape.push_back(1);
      kinds.push_back(0);
      continue;
    }
    const int64_t size = x.shape[axis++];
    if (item.kind == IndexItem::Kind::kInteger) {
      starts.push_back(normalized(*item.start, size));
      steps.push_back(0);
      kinds.push_back(1);
      continue;
    }
    std::vector<int64_t> picked;  // walk, as a loop in Python would
    const int64_t step = item.step;
    const auto clamp = [&](int64_t at_place) {
      const int64_t place = at_place < 0 ? at_place + size : at_place;
      return step > 0 ? std::clamp(place, int64_t{0}, size)
                      : std::clamp(place, int64_t{-1}, size - 1);
    };
    const int64_t start = item.start ? clamp(*item.start) : step > 0 ? 0 : size - 1;
    const int64_t stop = item.stop ? clamp(*item.stop) : step > 0 ? size : -1;
    for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step) picked.push_back(i);
    shape.push_back(static_cast<int64_t>(picked.size()));
    starts.push_back(start);
    steps.push_back(step);
    kinds.push_back(2);
  }
  return {moved_from(x, shape, [&](const Places& place) {
    Places from;
    size_t out_axis = 0;
    for (int kind : kinds) {
      if (kind == 1) from.push_back(starts[from.size()]);
      if (kind == 2) from.push_back(starts[from.size()] + steps[from.size()] * place[out_axis]);
      out_axis += kind != 1;
    }
    return from;
  })};
}

WEFT_OP_TEST(slice) {
  t.skip("symbolic", "a range is counted when the size of its axis is known");
  t.sample({in({5, 4})}, "index=[1:3]");
  t.sample({in({5, 4})}, "index=[-1, ::2]");
  t.sample({in({5, 4})}, "index=[::-2, newaxis, 1]");
  t.sample({in({2, 5, 4})}, "index=[..., 0]");
  t.sample({in({2, 5, 4})}, "index=[1, ..., 3:0:-1]");
  t.sample({in({5})}, "index=[3:100]");
  t.sample({in({5})}, "index=[4:1]");
  t.sample({in({5})}, "index=[-100:-3]");
  t.sample({in({})}, "index=[newaxis, ...]");
  t.sample({in({0, 3})}, "index=[::-1, 1]");
  t.reference(reference);
  t.error("ellipsis", {in({3, 4})}, "index=[..., ...]",
          "slice: the index [..., ...] has 2 ellipses; at most one is allowed [slice.ellipsis]");
  t.error("count", {in({3})}, "index=[0, 1]",
          "slice: the index [0, 1] has 2 entries for shape [3] of rank 1; index at most one entry "
          "per axis [slice.count]");
  t.error("step", {in({3, 4})}, "index=[:, ::0]",
          "slice: the step of axis 1 is 0; steps are not 0 [slice.step]");
  t.error("range", {in({3, 4})}, "index=[:, 4]",
          "slice: index 4 is out of range for axis 1 of shape [3, 4]; indices go from -4 to 3 "
          "[slice.range]");
}
