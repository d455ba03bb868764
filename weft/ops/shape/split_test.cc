// Samples of split.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  const Array& x = in[0];
  const size_t axis = axis_of(x, at.get<int64_t>("axis"));
  Arrays out;
  int64_t begin = 0;
  for (const Dim part : at.get<Shape>("sizes")) {
    const int64_t size = part.value();
    Places shape = x.shape;
    shape[axis] = size;
    out.push_back(moved_from(x, shape, [&](Places place) {
      place[axis] += begin;
      return place;
    }));
    begin += size;
  }
  return out;
}

WEFT_OP_TEST(split) {
  t.sample({in({5, 2})}, "sizes=[2, 3]");
  t.sample({in({2, 6})}, "sizes=[1, 0, 5], axis=1");
  t.sample({in({2, 6})}, "sizes=[6], axis=-1");
  t.sample({in({0, 2})}, "sizes=[0, 0]");
  t.reference(reference);
  t.error("none", {in({5})}, "sizes=[]",
          "split: sizes is empty; give the size of at least one part [split.none]");
  t.error("negative", {in({5})}, "sizes=[6, -1]",
          "split: sizes [6, -1] has a negative size; sizes are at least 0 [split.negative]");
  t.error("total", {in({5, 2})}, "sizes=[2, 2]",
          "split: sizes [2, 2] sum to 4, but axis 0 of shape [5, 2] has size 5; they must be equal "
          "[split.total]");
  t.error("total", {in({4, 2})}, "sizes=[2]",
          "split: sizes [2] sum to 2, but axis 0 of shape [4, 2] has size 4; they must be equal: "
          "sizes are those of all parts, as in (2, 2) [split.total]");
  t.error("axis", {in({5, 2})}, "sizes=[2], axis=2",
          "split: axis 2 is out of range for shape [5, 2]; axes go from -2 to 1 [split.axis]");
}
