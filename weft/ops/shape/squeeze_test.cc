// Samples of squeeze.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  Places shape = in[0].shape;
  for (int64_t axis : at.get<Ints>("axis")) shape[axis_of(in[0], axis)] = -1;
  shape.erase(std::remove(shape.begin(), shape.end(), -1), shape.end());
  return {reshaped(in[0], shape)};
}

WEFT_OP_TEST(squeeze) {
  t.sample({in({3, 1, 4})}, "axis=[1]");
  t.sample({in({1, 3, 1})}, "axis=[-1, 0]");
  t.sample({in({1, 3})}, "axis=[]");
  t.sample({in({1, 0})}, "axis=[0]");
  t.reference(reference);
  t.error("size", {in({3, 1})}, "axis=[0]",
          "squeeze: axis 0 of shape [3, 1] has size 3; only axes of size 1 can be taken out "
          "[squeeze.size]");
  t.error("axis", {in({3, 1})}, "axis=[2]",
          "squeeze: axis 2 is out of range for shape [3, 1]; axes go from -2 to 1 [squeeze.axis]");
  t.error("axis_twice", {in({3, 1})}, "axis=[1, -1]",
          "squeeze: axes [1, -1] name an axis of shape [3, 1] twice; name each axis once "
          "[squeeze.axis_twice]");
}
