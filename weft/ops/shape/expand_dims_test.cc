// Samples of expand_dims.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  Places shape = in[0].shape;
  const auto rank = static_cast<int64_t>(shape.size());
  shape.insert(shape.begin() + normalized(at.get<int64_t>("axis"), rank + 1), 1);
  return {reshaped(in[0], shape)};
}

WEFT_OP_TEST(expand_dims) {
  t.sample({in({3, 4})}, "axis=0");
  t.sample({in({3, 4})}, "axis=2");
  t.sample({in({3, 4})}, "axis=-2");
  t.sample({in({})}, "axis=-1");
  t.sample({in({0})}, "axis=1");
  t.reference(reference);
  t.error("axis", {in({3, 4})}, "axis=3",
          "expand_dims: axis 3 is out of range for a result of rank 3; axes go from -3 to 2 "
          "[expand_dims.axis]");
}
