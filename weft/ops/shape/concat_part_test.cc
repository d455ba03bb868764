// Samples of concat.part.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  const auto range = at.get<weft::Shape>("range");
  const size_t axis = axis_of(in[0], at.get<int64_t>("axis"));
  Places shape = in[0].shape;
  shape[axis] = range[1].value();
  return {moved_from(in[0], shape, [&](Places place) {
    place[axis] += range[0].value();
    return place;
  })};
}

WEFT_OP_TEST(concat__part) {
  t.sample({in({5, 2})}, "axis=0, range=[1, 3]");
  t.sample({in({2, 5})}, "axis=-1, range=[0, 2]");
  t.sample({in({2, 5, 2})}, "axis=1, range=[4, 1]");
  t.sample({in({2, 3})}, "axis=1, range=[3, 0]");
  t.large({in({300, 301})}, "axis=1, range=[7, 200]");
  t.reference(reference);
  t.error("range", {in({2, 3})}, "axis=1, range=[2, 2]",
          "concat.part: a part of 2 from 2 on ends behind the 3 of axis 1 [concat.part.range]");
  t.error("range", {in({2, 3})}, "axis=1, range=[2]",
          "concat.part: range is [2]; it is where the part begins, and its size "
          "[concat.part.range]");
  t.error("axis", {in({2, 3})}, "axis=2, range=[0, 1]",
          "concat.part: axis 2 is out of range for shape [2, 3]; axes go from -2 to 1 "
          "[concat.part.axis]");
}
