// Samples of pad.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

// "a b c" goes on as the mode says, in both directions.
static int64_t source_of(const std::string& mode, int64_t at, int64_t size) {
  while (at < 0 || at >= size) {
    if (mode == "edge") return at < 0 ? 0 : size - 1;
    if (mode == "wrap") at += at < 0 ? size : -size;
    if (mode == "symmetric") at = at < 0 ? -1 - at : 2 * size - 1 - at;
    if (mode == "reflect") at = size == 1 ? 0 : at < 0 ? -at : 2 * size - 2 - at;
  }
  return at;
}

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
      const std::string& mode = at.get<std::string>("mode");
      if (mode != "constant") place[d] = source_of(mode, place[d], x.shape[d]);
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
  t.sample({in({2, 3})}, "before=[1, 2], after=[0, 2], mode=\"reflect\"");
  t.sample({in({3})}, "before=[7], after=[5], mode=\"reflect\"");
  t.sample({in({1, 2})}, "before=[2, 0], after=[1, 0], mode=\"reflect\"");
  t.sample({in({2, 3})}, "before=[3, 2], after=[0, 4], mode=\"symmetric\"");
  t.sample({in({2, 3})}, "before=[1, 2], after=[0, 2], mode=\"edge\"");
  t.sample({in({2, 3})}, "before=[1, 5], after=[3, 0], mode=\"wrap\"");
  t.sample({in({0, 3})}, "before=[0, 1], after=[0, 1], mode=\"wrap\"");
  t.large({in({300, 301})}, "before=[1, 2], after=[2, 1], mode=\"reflect\"");
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
  t.error("mode", {in({2})}, "before=[1], after=[1], mode=\"mirror\"",
          "pad: mode is \"mirror\"; it must be \"constant\", \"reflect\", \"symmetric\", "
          "\"edge\" or \"wrap\" [pad.mode]");
  t.error("empty", {in({0})}, "before=[1], after=[1], mode=\"edge\"",
          "pad: axis 0 of shape [0] has no elements for mode \"edge\" to continue [pad.empty]");
}
