// Samples of stack.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  Places shape = in[0].shape;
  const auto rank = static_cast<int64_t>(shape.size());
  const auto axis = normalized(at.get<int64_t>("axis"), rank + 1);
  shape.insert(shape.begin() + axis, static_cast<int64_t>(in.size()));
  Array out = like(in[0], shape);
  for (size_t i = 0; i < out.values.size(); ++i) {
    Places place = unravel(static_cast<int64_t>(i), shape);
    const Array& from = in[static_cast<size_t>(place[static_cast<size_t>(axis)])];
    place.erase(place.begin() + axis);
    out.values[i] = from.values[static_cast<size_t>(ravel(place, from.shape))];
  }
  return {out};
}

WEFT_OP_TEST(stack) {
  t.sample({in({2, 3}), in({2, 3})});
  t.sample({in({2, 3}), in({2, 3}), in({2, 3})}, "axis=-1");
  t.sample({in({2, 3}), in({2, 3})}, "axis=1");
  t.sample({in({}), in({})});
  t.sample({in({0, 2}), in({0, 2})});
  t.large({in({300, 301}), in({300, 301})}, "axis=1");
  t.reference(reference);
  t.error("shape", {in({2, 3}), in({3})}, "",
          "stack: input 1 has shape [3] but input 0 has shape [2, 3]; all shapes must be equal "
          "[stack.shape]");
  t.error("axis", {in({2, 3}), in({2, 3})}, "axis=3",
          "stack: axis 3 is out of range for a result of rank 3; axes go from -3 to 2 "
          "[stack.axis]");
  t.error("count", {}, "", "stack: needs at least one input, but got none [stack.count]");
}
