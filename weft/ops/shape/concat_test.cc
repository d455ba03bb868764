// Samples of concat.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  const auto given = at.get<std::optional<int64_t>>("axis");
  Arrays parts = in;
  if (!given) {
    for (Array& x : parts) x.shape = {count(x.shape)};
  }
  const size_t axis = axis_of(parts[0], given.value_or(0));
  Array out = parts[0];
  out.values.clear();
  for (size_t i = 1; i < parts.size(); ++i) out.shape[axis] += parts[i].shape[axis];
  for (int64_t i = 0; i < count(out.shape); ++i) {
    Places place = unravel(i, out.shape);
    size_t part = 0;
    while (place[axis] >= parts[part].shape[axis]) place[axis] -= parts[part++].shape[axis];
    out.values.push_back(parts[part].values[static_cast<size_t>(ravel(place, parts[part].shape))]);
  }
  return {out};
}

WEFT_OP_TEST(concat) {
  t.sample({in({2, 3}), in({1, 3})});
  t.sample({in({2, 3}), in({2, 2}), in({2, 0})}, "axis=1");
  t.sample({in({2, 3})}, "axis=-1");
  t.sample({in({2, 3}), in({2})}, "axis=none");
  t.sample({in({0, 3}), in({2, 3})}, "axis=0");
  t.large({in({300, 301}), in({300, 7})}, "axis=1");
  t.large({in({300, 301}), in({9, 301})}, "axis=0");
  t.reference(reference);
  t.error("C3", {in({1, 3}), in({2, 2})}, "axis=0",
          "concat: input 1 has shape [2, 2] but input 0 has shape [1, 3]; they may differ only on "
          "axis 0 [concat.C3]");
  t.error("C3", {in({1, 3}), in({3})}, "axis=0",
          "concat: input 1 has shape [3] but input 0 has shape [1, 3]; they may differ only on "
          "axis 0 [concat.C3]");
  t.error("axis", {in({2, 3}), in({2, 3})}, "axis=2",
          "concat: axis 2 is out of range for shape [2, 3]; axes go from -2 to 1 [concat.axis]");
  t.error("count", {}, "", "concat: needs at least one input, but got none [concat.count]");
}
