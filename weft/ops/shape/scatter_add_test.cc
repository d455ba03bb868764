// Samples of scatter_add.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  const Array &indices = in[1], &updates = in[2];
  Array out = in[0];
  const size_t axis = axis_of(out, at.get<int64_t>("axis"));
  for (size_t i = 0; i < updates.values.size(); ++i) {
    Places place = unravel(static_cast<int64_t>(i), updates.shape);
    place[axis] = place_of(indices.values[i], out.shape[axis]);
    ScalarValue& to = out.values[static_cast<size_t>(ravel(place, out.shape))];
    const ScalarValue& v = updates.values[i];
    to = {to.re + v.re, to.im + v.im, to.i + v.i};
  }
  return {out};
}

WEFT_OP_TEST(scatter_add) {
  t.sample({in({5}, 0, 9), indices({3}, {4, 0, -1}), in({3})}, "axis=0");
  t.sample({in({2, 3}, 9, 12), indices({2, 4}, {0, 2, -1, 1, 1, 1, 1, 1}), in({2, 4})}, "axis=1");
  t.sample({in({2, 3, 2}, 9, 12), indices({2, 1, 2}, {0, 2, -1, 1}), in({2, 1, 2})}, "axis=-2");
  t.sample({in({2, 3}), exactly({2, 0}, {}, weft::DType::kI64), in({2, 0})}, "axis=1");
  t.large({in({300, 301}), typed(in({300, 400}, 0, 300), weft::DType::kI64), in({300, 400})},
          "axis=1");
  t.large({in({5000}), typed(in({90000}, 0, 4999), weft::DType::kI64), in({90000})}, "axis=0");
  t.large({in({40, 301}), typed(in({500, 301}, 0, 39), weft::DType::kI64), in({500, 301})},
          "axis=0");
  t.reference(reference);
  t.error("updates", {in({5}), indices({3}, {4, 0, 1}), in({2})}, "axis=0",
          "scatter_add: indices have shape [3] but updates have shape [2]; they must be equal "
          "[scatter_add.updates]");
  t.error("shape", {in({2, 5}), indices({3, 1}, {4, 0, 1}), in({3, 1})}, "axis=1",
          "scatter_add: indices have shape [3, 1] but x has shape [2, 5]; they may differ only on "
          "axis 1 [scatter_add.shape]");
  t.error("index_dtype", {in({3}), typed(indices({1}, {0}), weft::DType::kU64), in({1})}, "axis=0",
          "scatter_add: indices have dtype uint64, which int64 does not hold; cast them first "
          "[scatter_add.index_dtype]");
  t.error("range", {in({3}), indices({2}, {0, 3}), in({2})}, "axis=0",
          "scatter_add: index 3 at position [1] is out of range for axis 0 with size 3 "
          "[scatter_add.range]");
  t.error("axis", {in({3}), indices({1}, {0}), in({1})}, "axis=1",
          "scatter_add: axis 1 is out of range for shape [3]; axes go from -1 to 0 "
          "[scatter_add.axis]");
}
