// Samples of take_along_axis, put_along_axis, index_select, masked_fill, masked_select,
// gather_nd and scatter_nd.
#include "weft/ops/shape/index_at_reference.h"

using namespace weft::suite;

static Arrays take_reference(const Attrs& at, const Arrays& in) {
  const Array &x = in[0], &indices = in[1];
  const size_t axis = axis_of(x, at.get<int64_t>("axis"));
  return {moved_from(x, indices.shape, [&](Places place) {
    const auto which = indices.values[static_cast<size_t>(ravel(place, indices.shape))];
    place[axis] = place_of(which, x.shape[axis]);
    return place;
  })};
}

WEFT_OP_TEST(take_along_axis) {
  t.sample({in({3, 4}), indices({3, 2}, {0, 3, -1, 1, 2, 2})});
  t.sample({in({3, 4}), indices({2, 4}, {0, 2, -1, 1, 2, 2, 0, 0})}, "axis=0");
  t.large({in({300, 301}), typed(in({300, 50}, 0, 300), DType::kI64)});
  t.reference(take_reference);
}

static Arrays put_reference(const Attrs& at, const Arrays& in) {
  Array out = in[0];
  const Array& indices = in[1];
  const size_t axis = axis_of(out, at.get<int64_t>("axis"));
  Places shape = out.shape;
  shape[axis] = indices.shape[axis];
  for (int64_t i = 0; i < count(shape); ++i) {
    Places place = unravel(i, shape);
    const ScalarValue& value = broadcast_value(in[2], place);
    place[axis] = place_of(broadcast_value(indices, place), out.shape[axis]);
    out.values[static_cast<size_t>(ravel(place, out.shape))] = value;
  }
  return {out};
}

WEFT_OP_TEST(put_along_axis) {
  t.skip("symbolic", "the places on other axes are counted");
  t.sample({in({3, 4}), indices({3, 2}, {0, 3, -1, 1, 2, 2}), in({3, 2})});
  t.sample({in({3, 4}), indices({1, 4}, {0, 2, -1, 1}), in({})}, "axis=0");
  t.sample({in({3}), indices({2}, {0, 0}), in({2})}, "axis=0");
  t.large({in({300, 301}), typed(in({300, 50}, 0, 300), DType::kI64), in({300, 50})});
  t.reference(put_reference);
  t.error("rank", {in({2, 3}), indices({1}, {0}), in({})}, "",
          "put_along_axis: x has shape [2, 3] but indices have shape [1]; their ranks must be "
          "equal [put_along_axis.rank]");
  t.error("shape", {in({1, 3}), indices({2, 1}, {0, 0}), in({})}, "",
          "put_along_axis: indices have shape [2, 1] but x has shape [1, 3]; on other axes than "
          "-1 they must be equal, or 1 [put_along_axis.shape]");
}

static Arrays select_reference(const Attrs& at, const Arrays& in) {
  const size_t axis = axis_of(in[0], at.get<int64_t>("axis"));
  Places shape = in[0].shape;
  shape[axis] = in[1].shape[0];
  return {moved_from(in[0], shape, [&](Places place) {
    const auto which = in[1].values[static_cast<size_t>(place[axis])];
    place[axis] = place_of(which, in[0].shape[axis]);
    return place;
  })};
}

WEFT_OP_TEST(index_select) {
  t.sample({in({3, 4}), indices({3}, {0, 3, -1})}, "axis=1");
  t.sample({in({3, 4}), indices({2}, {2, 2})}, "axis=0");
  t.large({in({300, 301}), typed(in({500}, 0, 299), DType::kI64)}, "axis=0");
  t.reference(select_reference);
  t.error("rank", {in({3}), indices({1, 1}, {0})}, "axis=0",
          "index_select: indices have shape [1, 1]; they must have rank 1 (take allows any) "
          "[index_select.rank]");
}

static Arrays fill_reference(const Attrs&, const Arrays& in) {
  Array out = in[0];
  for (size_t i = 0; i < out.values.size(); ++i) {
    const Places place = unravel(static_cast<int64_t>(i), out.shape);
    if (broadcast_value(in[1], place).i != 0) out.values[i] = broadcast_value(in[2], place);
  }
  return {out};
}

WEFT_OP_TEST(masked_fill) {
  t.sample({in({2, 3}), exactly({2, 3}, {1, 0, 0, 1, 1, 0}, DType::kBool), in({})});
  t.sample({in({2, 3}), exactly({3}, {1, 0, 1}, DType::kBool), in({3})});
  t.large({in({300, 301}), typed(in({300, 301}, 0, 1), DType::kBool), in({})});
  t.reference(fill_reference);
  t.error("mask", {in({3}), indices({3}, {0, 1, 0}), in({})}, "",
          "masked_fill: mask has dtype int64; it must be bool [masked_fill.mask]");
}

static Arrays masked_reference(const Attrs&, const Arrays& in) {
  const Places shape = joint_shape(in, 0);
  Array out = like(in[0], {0});
  for (int64_t i = 0; i < count(shape); ++i) {
    const Places place = unravel(i, shape);
    if (broadcast_value(in[1], place).i != 0) out.values.push_back(broadcast_value(in[0], place));
  }
  out.shape[0] = static_cast<int64_t>(out.values.size());
  return {out};
}

WEFT_OP_TEST(masked_select) {
  for (const char* column : {"symbolic", "vmap", "vmap(grad)", "grad(vmap)"}) {
    t.skip(column, "raises [argwhere.batch]: values decide the size of the result");
  }
  t.sample({in({2, 3}), exactly({2, 3}, {1, 0, 0, 1, 1, 0}, DType::kBool)});
  t.sample({in({2, 1}), exactly({3}, {1, 0, 1}, DType::kBool)});
  t.sample({in({2}), exactly({2}, {0, 0}, DType::kBool)});
  t.large({in({300, 301}), typed(in({300, 301}, 0, 1), DType::kBool)});
  t.reference(masked_reference);
  t.error("mask", {in({3}), indices({3}, {0, 1, 0})}, "",
          "masked_select: mask has dtype int64; it must be bool [masked_select.mask]");
}

static Arrays gather_nd_reference(const Attrs&, const Arrays& in) {
  const Array &x = in[0], &indices = in[1];
  const auto depth = static_cast<size_t>(indices.shape.back());
  Places shape(indices.shape.begin(), indices.shape.end() - 1);
  const size_t front = shape.size();
  shape.insert(shape.end(), x.shape.begin() + static_cast<std::ptrdiff_t>(depth), x.shape.end());
  return {moved_from(x, shape, [&](const Places& place) {
    Places which(place.begin(), place.begin() + static_cast<std::ptrdiff_t>(front)), from;
    which.push_back(0);
    for (size_t d = 0; d < depth; ++d) {
      which.back() = static_cast<int64_t>(d);
      const auto at = static_cast<size_t>(ravel(which, indices.shape));
      from.push_back(place_of(indices.values[at], x.shape[d]));
    }
    from.insert(from.end(), place.begin() + static_cast<std::ptrdiff_t>(front), place.end());
    return from;
  })};
}

WEFT_OP_TEST(gather_nd) {
  t.skip("symbolic", "the number of coordinates must be known");
  t.sample({in({3, 4}), indices({2, 2}, {0, 2, -1, 1})});
  t.sample({in({3, 4}), indices({2, 1}, {2, 0})});
  t.sample({in({3, 4, 2}), indices({2, 1, 2}, {0, 2, -1, 1})});
  t.large({in({300, 301}), typed(in({500, 2}, 0, 299), DType::kI64)});
  t.reference(gather_nd_reference);
  t.error("indices", {in({3}), indices({}, {0})}, "",
          "gather_nd: indices have rank 0; their last axis names a place [gather_nd.indices]");
  t.error("depth", {in({3}), indices({1, 2}, {0, 0})}, "",
          "gather_nd: indices have shape [1, 2], so a place has 2 coordinates, but there are 1 "
          "axes; give at least one and at most one for each [gather_nd.depth]");
}

static Arrays scatter_nd_reference(const Attrs& at, const Arrays& in) {
  const Array &updates = in[0], &indices = in[1];
  const Places shape = places_of(at.get<Shape>("shape"));
  Array out = like(updates, shape);
  const auto depth = static_cast<size_t>(indices.shape.back());
  for (size_t i = 0; i < updates.values.size(); ++i) {
    const Places place = unravel(static_cast<int64_t>(i), updates.shape);
    const size_t front = indices.shape.size() - 1;
    Places which(place.begin(), place.begin() + static_cast<std::ptrdiff_t>(front)), to;
    which.push_back(0);
    for (size_t d = 0; d < depth; ++d) {
      which.back() = static_cast<int64_t>(d);
      const auto from = static_cast<size_t>(ravel(which, indices.shape));
      to.push_back(place_of(indices.values[from], shape[d]));
    }
    to.insert(to.end(), place.begin() + static_cast<std::ptrdiff_t>(front), place.end());
    ScalarValue& sum = out.values[static_cast<size_t>(ravel(to, shape))];
    const ScalarValue& v = updates.values[i];
    const bool is_bool = updates.dtype == DType::kBool;
    sum = {sum.re + v.re, sum.im + v.im, is_bool ? sum.i | v.i : sum.i + v.i};
  }
  return {out};
}

WEFT_OP_TEST(scatter_nd) {
  t.skip("symbolic", "the number of coordinates must be known");
  t.sample({in({3}), indices({3, 2}, {0, 2, -1, 1, 0, 2})}, "shape=[3, 4]");
  t.sample({in({2, 3}), indices({2, 1}, {2, 2})}, "shape=[3, 3]");
  t.large({in({500, 301}), typed(in({500, 1}, 0, 299), DType::kI64)}, "shape=[300, 301]");
  t.reference(scatter_nd_reference);
  t.error("indices", {in({}), indices({}, {0})}, "shape=[3]",
          "scatter_nd: indices have rank 0; their last axis names a place [scatter_nd.indices]");
  t.error("depth", {in({1}), indices({1, 2}, {0, 0})}, "shape=[3]",
          "scatter_nd: indices have shape [1, 2], so a place has 2 coordinates, but there are 1 "
          "axes; give at least one and at most one for each [scatter_nd.depth]");
}
