// Samples of flip.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  const Array& x = in[0];
  const auto& given = at.get<std::optional<Ints>>("axis");
  std::vector<bool> reversed(x.shape.size(), !given);
  if (given) {
    for (int64_t axis : *given) reversed[axis_of(x, axis)] = true;
  }
  return {moved_from(x, x.shape, [&](Places place) {
    for (size_t i = 0; i < place.size(); ++i) {
      if (reversed[i]) place[i] = x.shape[i] - 1 - place[i];
    }
    return place;
  })};
}

WEFT_OP_TEST(flip) {
  t.sample({in({3, 4})});
  t.sample({in({2, 3, 4})}, "axis=[1]");
  t.sample({in({2, 3, 4})}, "axis=[0, -1]");
  t.sample({in({})});
  t.sample({in({0, 3})}, "axis=[0]");
  t.reference(reference);
  t.error("axis", {in({3, 4})}, "axis=[2]",
          "flip: axis 2 is out of range for shape [3, 4]; axes go from -2 to 1 [flip.axis]");
  t.error("axis_twice", {in({3, 4})}, "axis=[1, -1]",
          "flip: axes [1, -1] name an axis of shape [3, 4] twice; name each axis once "
          "[flip.axis_twice]");
}
