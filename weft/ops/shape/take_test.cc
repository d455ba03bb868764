// Samples of take.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

// The index axes of the result, and where they begin.
static Arrays reference(const Attrs& at, const Arrays& in) {
  const Array &x = in[0], &indices = in[1];
  const size_t axis = axis_of(x, at.get<std::optional<int64_t>>("axis").value_or(0));
  const auto begin = static_cast<std::ptrdiff_t>(axis);
  const auto batch = static_cast<std::ptrdiff_t>(at.get<int64_t>("batch_axes"));
  const auto taken = static_cast<std::ptrdiff_t>(indices.shape.size()) - batch;
  Places shape = x.shape;
  shape.erase(shape.begin() + begin);
  shape.insert(shape.begin() + begin, indices.shape.begin() + batch, indices.shape.end());
  return {moved_from(x, shape, [&](Places place) {
    Places which(place.begin(), place.begin() + batch);
    which.insert(which.end(), place.begin() + begin, place.begin() + begin + taken);
    const auto index = indices.values[static_cast<size_t>(ravel(which, indices.shape))];
    place.erase(place.begin() + begin, place.begin() + begin + taken);
    place.insert(place.begin() + begin, place_of(index, x.shape[axis]));
    return place;
  })};
}

static Arrays vjp_reference(const Attrs& at, const Arrays& in) {
  const Array &updates = in[0], &indices = in[1];
  const auto begin = static_cast<std::ptrdiff_t>(at.get<int64_t>("axis"));
  const auto taken = static_cast<std::ptrdiff_t>(indices.shape.size());
  const int64_t size = at.get<Shape>("size")[0].value();
  Places shape = updates.shape;
  shape.erase(shape.begin() + begin, shape.begin() + begin + taken);
  shape.insert(shape.begin() + begin, size);
  Array out = like(updates, shape);
  for (size_t i = 0; i < updates.values.size(); ++i) {
    Places place = unravel(static_cast<int64_t>(i), updates.shape);
    const Places which(place.begin() + begin, place.begin() + begin + taken);
    const auto index = indices.values[static_cast<size_t>(ravel(which, indices.shape))];
    place.erase(place.begin() + begin, place.begin() + begin + taken);
    place.insert(place.begin() + begin, place_of(index, size));
    ScalarValue& to = out.values[static_cast<size_t>(ravel(place, shape))];
    const ScalarValue& v = updates.values[i];
    to = {to.re + v.re, to.im + v.im, to.i + v.i};
  }
  return {out};
}

WEFT_OP_TEST(take) {
  t.sample({in({5}), indices({3}, {4, 0, -5})});
  t.sample({in({3, 4}), indices({2}, {2, 2})}, "axis=0");
  t.sample({in({2, 3, 4}), indices({2, 2}, {0, 2, -1, 1})}, "axis=1");
  t.sample({in({2, 3}), indices({}, {1})}, "axis=-1");
  t.sample({in({2, 3}), typed(indices({2}, {1, 0}), weft::DType::kI32)}, "axis=1");
  t.sample({in({2, 3}), typed(indices({2}, {1, 0}), weft::DType::kU8)}, "axis=1");
  t.sample({in({2, 3}), exactly({0}, {}, weft::DType::kI64)}, "axis=1");
  t.sample({in({2, 3, 4}), indices({2, 2}, {0, 2, -1, 1})}, "axis=1, batch_axes=1");
  t.sample({in({2, 3, 4}), indices({2, 1, 2}, {0, 3, -1, 1})}, "axis=2, batch_axes=1");
  t.sample({in({2, 2, 3}), indices({2, 2}, {0, 2, -1, 1})}, "axis=2, batch_axes=2");
  t.large({in({300, 301}), typed(in({400}, 0, 299), weft::DType::kI64)}, "axis=0");
  t.large({in({300, 301}), typed(in({400}, 0, 300), weft::DType::kI64)}, "axis=1");
  t.reference(reference);
  t.error("axis_needed", {in({2, 3}), indices({1}, {0})}, "",
          "take: x has shape [2, 3]; say which axis to take from unless the rank is 1 "
          "[take.axis_needed]");
  t.error("index_dtype", {in({3}), typed(indices({1}, {0}), weft::DType::kU64)}, "",
          "take: indices have dtype uint64, which int64 does not hold; cast them first "
          "[take.index_dtype]");
  t.error("range", {in({2, 3}), indices({2, 2}, {0, 1, 3, 0})}, "axis=1",
          "take: index 3 at position [1, 0] is out of range for axis 1 with size 3 [take.range]");
  t.error("range", {in({2, 3, 4}), indices({2, 2}, {0, 1, 3, 0})}, "axis=1, batch_axes=1",
          "take: index 3 at position [1, 0] is out of range for axis 1 with size 3 [take.range]");
  t.error("batch_axes", {in({2, 3}), indices({2}, {0, 0})}, "axis=0, batch_axes=1",
          "take: batch_axes is 1; with axis 0 and indices of shape [2] it goes from 0 to 0 "
          "[take.batch_axes]");
  t.error("batch", {in({2, 3}), indices({3}, {0, 0, 0})}, "axis=1, batch_axes=1",
          "take: x has shape [2, 3] and indices have shape [3]; they must agree on the axes that "
          "batch_axes, 1, counts [take.batch]");
  t.error("axis", {in({2, 3}), indices({1}, {0})}, "axis=2",
          "take: axis 2 is out of range for shape [2, 3]; axes go from -2 to 1 [take.axis]");
}

WEFT_OP_TEST(take__vjp) {
  t.sample({in({3}), indices({3}, {4, 0, 4})}, "axis=0, size=[5]");
  t.sample({in({2, 2, 2, 4}), indices({2, 2}, {0, 2, -1, 1})}, "axis=1, size=[3]");
  t.sample({in({2}), indices({}, {1})}, "axis=1, size=[3]");
  t.large({in({400, 301}), typed(in({400}, 0, 99), weft::DType::kI64)}, "axis=0, size=[100]");
  t.large({in({300, 400}), typed(in({400}, 0, 99), weft::DType::kI64)}, "axis=1, size=[100]");
  t.reference(vjp_reference);
  t.error("shape", {in({2, 3}), indices({2}, {0, 1})}, "axis=1, size=[3]",
          "take.vjp: updates of shape [2, 3] do not have the axes [2] of the indices at axis 1 "
          "[take.vjp.shape]");
  t.error("size", {in({2, 3}), indices({2}, {0, 1})}, "axis=0, size=[3, 3]",
          "take.vjp: size is [3, 3]; it must be one number [take.vjp.size]");
  t.error("axis", {in({2, 3}), indices({2}, {0, 1})}, "axis=2, size=[3]",
          "take.vjp: axis 2 is out of range for a result of rank 2 [take.vjp.axis]");
  t.error("index_dtype", {in({1}), typed(indices({1}, {0}), weft::DType::kU64)}, "axis=0, size=[3]",
          "take.vjp: indices have dtype uint64, which int64 does not hold; cast them first "
          "[take.vjp.index_dtype]");
}
