// Samples of pad.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  const Array& x = in[0];
  const auto &before = at.get<Ints>("before"), &after = at.get<Ints>("after");
  Places shape = x.shape;
  for (size_t i = 0; i < shape.size(); ++i) shape[i] += before[i] + after[i];
  Array out = like(x, shape);
  for (size_t i = 0; i < out.values.size(); ++i) {
    Places place = unravel(static_cast<int64_t>(i), shape);
    bool inside = true;
    for (size_t d = 0; d < place.size(); ++d) {
      place[d] -= before[d];
      inside = inside && place[d] >= 0 && place[d] < x.shape[d];
    }
    if (in.size() > 1) out.values[i] = in[1].values[0];
    if (inside) out.values[i] = x.values[static_cast<size_t>(ravel(place, x.shape))];
  }
  return {out};
}

WEFT_OP_TEST(pad) {
  t.sample({in({2, 3})}, "before=[1, 0], after=[0, 2]");
  t.sample({in({2, 3}), in({})}, "before=[1, 2], after=[2, 1]");
  t.sample({in({}), in({})}, "before=[], after=[]");
  t.sample({in({0, 2}), in({})}, "before=[1, 1], after=[1, 0]");
  t.sample({in({0, 2}), in({})}, "before=[0, 1], after=[0, 0]");
  t.large({in({300, 301}), in({})}, "before=[1, 2], after=[2, 1]");
  t.reference(reference);
  t.error("count", {in({2, 3})}, "before=[1], after=[1, 1]",
          "pad: before [1] and after [1, 1] do not fit shape [2, 3]; give one number for each of "
          "its 2 axes [pad.count]");
  t.error("negative", {in({2})}, "before=[-1], after=[1]",
          "pad: before [-1] and after [1] have a negative number; slice to take elements away "
          "[pad.negative]");
  t.error("value", {in({2}), in({1})}, "before=[1], after=[1]",
          "pad: value has shape [1]; it must have rank 0 [pad.value]");
}
