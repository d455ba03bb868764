// Samples of gather.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  const Array &x = in[0], &indices = in[1];
  const size_t axis = axis_of(x, at.get<int64_t>("axis"));
  Places shape = indices.shape;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i != axis && shape[i] == 1) shape[i] = x.shape[i];
  }
  return {moved_from(x, shape, [&](Places place) {
    Places at_index = place;
    for (size_t i = 0; i < place.size(); ++i) {
      if (i != axis && indices.shape[i] == 1) at_index[i] = 0;
      if (i != axis && x.shape[i] == 1) place[i] = 0;
    }
    const auto index = indices.values[static_cast<size_t>(ravel(at_index, indices.shape))];
    place[axis] = place_of(index, x.shape[axis]);
    return place;
  })};
}

WEFT_OP_TEST(gather) {
  t.sample({in({5}), indices({3}, {4, 0, -5})}, "axis=0");
  t.sample({in({2, 3}), indices({2, 2}, {0, 2, -1, 1})}, "axis=1");
  t.sample({in({2, 3, 2}), indices({2, 1, 2}, {0, 2, -1, 1})}, "axis=-2");
  t.sample({in({2, 3}), indices({1, 2}, {2, 0})}, "axis=1");
  t.sample({in({1, 3}), indices({2, 2}, {0, 2, -1, 1})}, "axis=1");
  t.sample({in({2, 3}), typed(indices({2, 1}, {0, 1}), weft::DType::kI16)}, "axis=1");
  t.sample({in({2, 3}), exactly({2, 0}, {}, weft::DType::kI64)}, "axis=1");
  t.large({in({300, 301}), typed(in({300, 400}, 0, 300), weft::DType::kI64)}, "axis=1");
  t.large({in({300, 301}), typed(in({500, 301}, 0, 299), weft::DType::kI64)}, "axis=0");
  t.reference(reference);
  t.error("rank", {in({2, 3}), indices({2}, {0, 1})}, "axis=1",
          "gather: x has shape [2, 3] but indices have shape [2]; their ranks must be equal "
          "[gather.rank]");
  t.error("broadcast", {in({2, 3}), indices({3, 1}, {0, 1, 2})}, "axis=1",
          "gather: shapes [2, 1] and [3, 1] do not broadcast: axis -2 has size 2 and 3; sizes must "
          "be equal or 1 [gather.broadcast]");
  t.error("index_dtype", {in({3}), typed(indices({1}, {0}), weft::DType::kU64)}, "axis=0",
          "gather: indices have dtype uint64, which int64 does not hold; cast them first "
          "[gather.index_dtype]");
  t.error("range", {in({2, 3}), indices({2, 2}, {0, 1, 1, -4})}, "axis=1",
          "gather: index -4 at position [1, 1] is out of range for axis 1 with size 3 "
          "[gather.range]");
  t.error("axis", {in({3}), indices({1}, {0})}, "axis=1",
          "gather: axis 1 is out of range for shape [3]; axes go from -1 to 0 [gather.axis]");
}
