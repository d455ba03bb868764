// Samples of expand_dims.
#include <algorithm>

#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  Places shape = in[0].shape;
  Ints axes = at.get<Ints>("axis");
  const auto rank = static_cast<int64_t>(shape.size() + axes.size());
  for (int64_t& axis : axes) axis = normalized(axis, rank);
  std::sort(axes.begin(), axes.end());
  for (const int64_t axis : axes) shape.insert(shape.begin() + axis, 1);
  return {reshaped(in[0], shape)};
}

WEFT_OP_TEST(expand_dims) {
  t.sample({in({3, 4})}, "axis=[0]");
  t.sample({in({3, 4})}, "axis=[2]");
  t.sample({in({3, 4})}, "axis=[-2]");
  t.sample({in({})}, "axis=[-1]");
  t.sample({in({0})}, "axis=[1]");
  t.sample({in({3, 4})}, "axis=[2, 0]");
  t.sample({in({3})}, "axis=[-1, 0, 2]");
  t.sample({in({3})}, "axis=[]");
  t.reference(reference);
  t.error("axis", {in({3, 4})}, "axis=[3]",
          "expand_dims: axis 3 is out of range for a result of rank 3; axes go from -3 to 2 "
          "[expand_dims.axis]");
  t.error("axis_twice", {in({3, 4})}, "axis=[0, -4]",
          "expand_dims: axes [0, -4] name an axis of a result of rank 4 twice; name each axis once "
          "[expand_dims.axis_twice]");
}
