// Samples of slice_update.
#include <algorithm>

#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

// Only indices of the samples: x[1:3, ::2], x[-1], x[..., 0] and x[3:1] of a matrix.
static Arrays reference(const Attrs& at, const Arrays& in) {
  Array out = in[0];
  const Array& value = in[1];
  const std::string index = text(at.get<Index>("index"));
  const auto every = [](int64_t first, int64_t end, int64_t step) {
    Places out;
    for (int64_t i = first; i < end; i += step) out.push_back(i);
    return out;
  };
  const int64_t height = out.shape[0], width = out.shape[1];
  Places rows, columns = every(0, width, 1);
  if (index == "[1:3, ::2]") rows = every(1, std::min<int64_t>(3, height), 1);
  if (index == "[1:3, ::2]") columns = every(0, width, 2);
  if (index == "[-1]") rows = {height - 1};
  if (index == "[..., 0]") rows = every(0, height, 1), columns = {0};
  size_t next = 0;
  for (int64_t row : rows) {
    for (int64_t column : columns) {
      const auto to = static_cast<size_t>(ravel({row, column}, out.shape));
      out.values[to] = value.values[next++ % value.values.size()];
    }
  }
  return {out};
}

WEFT_OP_TEST(slice_update) {
  t.skip("symbolic", "a range is counted when the size of its axis is known");
  t.sample({in({5, 4}), in({2, 2})}, "index=[1:3, ::2]");
  t.sample({in({5, 4}), in({2})}, "index=[1:3, ::2]");
  t.sample({in({5, 4}), in({4})}, "index=[-1]");
  t.sample({in({5, 4}), in({})}, "index=[..., 0]");
  t.sample({in({5, 4}), in({})}, "index=[3:1]");
  t.large({in({300, 301}), in({299, 150})}, "index=[1:, 1::2]");
  t.reference(reference);
  t.error("value", {in({5, 4}), in({3, 2, 2})}, "index=[1:3, ::2]",
          "slice_update: a value of shape [3, 2, 2] does not fit x[[1:3, ::2]] of shape [2, 2]; it "
          "must broadcast to that shape [slice_update.value]");
  t.error("broadcast", {in({5, 4}), in({3})}, "index=[1:3, ::2]",
          "slice_update: shapes [2, 2] and [3] do not broadcast: axis -1 has size 2 and 3; sizes "
          "must be equal or 1 [slice_update.broadcast]");
  t.error("ellipsis", {in({3, 4}), in({})}, "index=[..., ...]",
          "slice_update: the index [..., ...] has 2 ellipses; at most one is allowed "
          "[slice_update.ellipsis]");
  t.error("count", {in({3}), in({})}, "index=[0, 1]",
          "slice_update: the index [0, 1] has 2 entries for shape [3] of rank 1; index at most one "
          "entry per axis [slice_update.count]");
  t.error("step", {in({3, 4}), in({})}, "index=[:, ::0]",
          "slice_update: the step of axis 1 is 0; steps are not 0 [slice_update.step]");
  t.error("range", {in({3, 4}), in({})}, "index=[:, 4]",
          "slice_update: index 4 is out of range for axis 1 of shape [3, 4]; indices go from -4 to "
          "3 [slice_update.range]");
}
