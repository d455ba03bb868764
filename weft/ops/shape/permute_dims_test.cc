// Samples of permute_dims.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  const Array& x = in[0];
  const auto& axes = at.get<Ints>("axes");
  Places shape;
  for (int64_t axis : axes) shape.push_back(x.shape[axis_of(x, axis)]);
  return {moved_from(x, shape, [&](const Places& place) {
    Places from(place.size());
    for (size_t i = 0; i < axes.size(); ++i) from[axis_of(x, axes[i])] = place[i];
    return from;
  })};
}

WEFT_OP_TEST(permute_dims) {
  t.sample({in({3, 4})}, "axes=[1, 0]");
  t.sample({in({2, 3, 4})}, "axes=[2, 0, 1]");
  t.sample({in({2, 3, 4})}, "axes=[-1, -2, -3]");
  t.sample({in({})}, "axes=[]");
  t.sample({in({0, 3})}, "axes=[1, 0]");
  t.reference(reference);
  t.error("count", {in({3, 4})}, "axes=[0]",
          "permute_dims: axes [0] has 1 entries for shape [3, 4] of rank 2; name every axis once "
          "[permute_dims.count]");
  t.error("axis", {in({3, 4})}, "axes=[0, 2]",
          "permute_dims: axis 2 is out of range for shape [3, 4]; axes go from -2 to 1 "
          "[permute_dims.axis]");
  t.error("axis_twice", {in({3, 4})}, "axes=[0, -2]",
          "permute_dims: axes [0, -2] name an axis of shape [3, 4] twice; name each axis once "
          "[permute_dims.axis_twice]");
}
