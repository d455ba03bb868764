// Samples of roll, rot90, tile, repeat, unstack, broadcast_arrays, meshgrid, atleast_*, tril, triu,
// diag and diag_embed.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

static int64_t cyclic(int64_t i, int64_t n) { return n == 0 ? 0 : ((i % n) + n) % n; }

static Arrays roll_reference(const Attrs& at, const Arrays& in) {
  const Ints& shift = at.get<Ints>("shift");
  const auto& axis = at.get<std::optional<Ints>>("axis");
  if (!axis) {
    Array out = in[0];
    const auto n = static_cast<int64_t>(out.values.size());
    for (int64_t i = 0; i < n; ++i) {
      out.values[static_cast<size_t>(i)] =
          in[0].values[static_cast<size_t>(cyclic(i - shift[0], n))];
    }
    return {out};
  }
  return {moved_from(in[0], in[0].shape, [&](Places place) {
    for (size_t k = 0; !shift.empty() && k < axis->size(); ++k) {
      const size_t d = axis_of(in[0], (*axis)[k]);
      place[d] = cyclic(place[d] - shift[shift.size() == 1 ? 0 : k], in[0].shape[d]);
    }
    return place;
  })};
}

WEFT_OP_TEST(roll) {
  t.skip("symbolic", "how far is counted when the size of the axis is known");
  t.sample({in({5})}, "shift=[2], axis=[0]");
  t.sample({in({3, 4})}, "shift=[-1, 6], axis=[0, 1]");
  t.sample({in({3, 4})}, "shift=[1], axis=[0, 1]");
  t.sample({in({2, 3})}, "shift=[2]");
  t.sample({in({0, 3})}, "shift=[2], axis=[0]");
  t.sample({in({2, 3})}, "shift=[2], axis=[]");
  t.sample({in({2, 3})}, "shift=[], axis=[1]");
  t.large({in({300, 301})}, "shift=[7], axis=[1]");
  t.reference(roll_reference);
  t.error("count", {in({2, 3})}, "shift=[1, 2, 3], axis=[0, 1]",
          "roll: shift [1, 2, 3] and axis [0, 1] have 3 and 2 numbers; give one shift for each "
          "axis [roll.count]");
  t.error("axis", {in({2, 3})}, "shift=[1], axis=[2]",
          "roll: axis 2 is out of range for shape [2, 3]; axes go from -2 to 1 [roll.axis]");
}

// Of the plane (0, 1) of a matrix or more, k turns one by one.
static Arrays rot90_reference(const Attrs& at, const Arrays& in) {
  Array x = in[0];
  const Ints& axes = at.get<Ints>("axes");
  const size_t a = axis_of(x, axes[0]), b = axis_of(x, axes[1]);
  for (int64_t turn = 0; turn < cyclic(at.get<int64_t>("k"), 4); ++turn) {
    Places shape = x.shape;
    std::swap(shape[a], shape[b]);
    const int64_t last = x.shape[b] - 1;
    x = moved_from(x, shape, [&](Places place) {
      const int64_t i = place[a];
      place[a] = place[b];
      place[b] = last - i;
      return place;
    });
  }
  return {x};
}

WEFT_OP_TEST(rot90) {
  t.sample({in({2, 3})});
  t.sample({in({2, 3})}, "k=2");
  t.sample({in({2, 3, 2})}, "k=-1, axes=[0, 2]");
  t.sample({in({2, 3, 2})}, "k=1, axes=[-1, 0]");
  t.sample({in({2, 3})}, "k=4");
  t.large({in({300, 301})}, "k=1");
  t.reference(rot90_reference);
  t.error("plane", {in({2, 3})}, "axes=[0]",
          "rot90: axes [0] has 1 entries; a plane has two [rot90.plane]");
  t.error("axis_twice", {in({2, 3})}, "axes=[0, -2]",
          "rot90: axes [0, -2] name an axis of shape [2, 3] twice; name each axis once "
          "[rot90.axis_twice]");
}

static Arrays tile_reference(const Attrs& at, const Arrays& in) {
  Places own = in[0].shape, shape, times;
  for (weft::Dim n : at.get<weft::Shape>("repetitions")) times.push_back(n.value());
  while (own.size() < times.size()) own.insert(own.begin(), 1);
  while (times.size() < own.size()) times.insert(times.begin(), 1);
  for (size_t d = 0; d < own.size(); ++d) shape.push_back(own[d] * times[d]);
  return {moved_from(reshaped(in[0], own), shape, [&](Places place) {
    for (size_t d = 0; d < own.size(); ++d) place[d] %= own[d];
    return place;
  })};
}

WEFT_OP_TEST(tile) {
  t.sample({in({3})}, "repetitions=[2]");
  t.sample({in({2, 3})}, "repetitions=[2, 3]");
  t.sample({in({2, 3})}, "repetitions=[2]");
  t.sample({in({2})}, "repetitions=[2, 1, 2]");
  t.sample({in({})}, "repetitions=[3]");
  t.sample({in({2})}, "repetitions=[0]");
  t.large({in({30, 31})}, "repetitions=[10, 11]");
  t.reference(tile_reference);
  t.error("negative", {in({2})}, "repetitions=[-1]",
          "tile: repetitions [-1] has a negative number; they are at least 0 [tile.negative]");
  t.error("rank", {in({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})}, "repetitions=[2]",
          "tile: a tensor of shape [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] has rank "
          "17; at most 16 axes can be repeated [tile.rank]");
}

static Arrays repeat_reference(const Attrs& at, const Arrays& in) {
  const auto& along = at.get<std::optional<int64_t>>("axis");
  const Array x = along ? in[0] : reshaped(in[0], {static_cast<int64_t>(in[0].values.size())});
  const size_t axis = axis_of(x, along.value_or(0));
  Places from;
  for (int64_t i = 0; i < x.shape[axis]; ++i) {
    const size_t k = in[1].values.size() == 1 ? 0 : static_cast<size_t>(i);
    for (int64_t n = 0; n < in[1].values[k].i; ++n) from.push_back(i);
  }
  Places shape = x.shape;
  shape[axis] = static_cast<int64_t>(from.size());
  return {moved_from(x, shape, [&](Places place) {
    place[axis] = from[static_cast<size_t>(place[axis])];
    return place;
  })};
}

static Arrays sources_reference(const Attrs&, const Arrays& in) {
  Array out{DType::kI64, {0}, {}};
  for (size_t i = 0; i < in[0].values.size(); ++i) {
    for (int64_t n = 0; n < in[0].values[i].i; ++n) {
      out.values.push_back({.i = static_cast<int64_t>(i)});
      ++out.shape[0];
    }
  }
  return {out};
}

WEFT_OP_TEST(repeat__sources) {
  t.skip("symbolic", "values decide the size of the result");
  for (const char* column : {"vmap", "vmap(grad)", "grad(vmap)"}) {
    t.skip(column, "raises [repeat.batch]: values decide the size of the result");
  }
  t.sample({exactly({4}, {2, 0, 1, 3})});
  t.sample({exactly({3}, {0, 0, 0})});
  t.sample({exactly({0}, {})});
  t.large({typed(in({5000}, 0, 9), DType::kI64)});
  t.reference(sources_reference);
  t.error("shape", {indices({2, 1}, {1, 2})}, "",
          "repeat.sources: counts has shape [2, 1]; it must have one axis "
          "[repeat.sources.shape]");
}

WEFT_OP_TEST(repeat) {
  t.skip("symbolic", "values decide the size of the result");
  for (const char* column : {"vmap", "vmap(grad)", "grad(vmap)"}) {
    t.skip(column, "raises [repeat.batch] if examples differ in their counts");
  }
  t.sample({in({2, 3}), indices({}, {2})}, "axis=1");
  t.sample({in({2, 3}), indices({}, {3})});
  t.sample({in({2, 3}), indices({3}, {2, 0, 1})}, "axis=-1");
  t.sample({in({3}), indices({3}, {0, 0, 0})}, "axis=0");
  t.sample({in({0, 2}), exactly({0}, {}, DType::kI64)}, "axis=0");
  t.sample({in({3}), typed(indices({3}, {1, 2, 3}), DType::kU8)}, "axis=0");
  t.large({in({300, 31}), indices({}, {5})}, "axis=0");
  t.reference(repeat_reference);
  t.error("dtype", {in({3}), typed(in({}), DType::kF32)}, "axis=0",
          "repeat: repeats has dtype float32; counts are integers [repeat.dtype]");
  t.error("shape", {in({3}), indices({2}, {1, 2})}, "axis=0",
          "repeat: repeats has shape [2], but axis 0 of shape [3] needs one number, or 3 "
          "[repeat.shape]");
  t.error("negative", {in({3}), indices({3}, {1, -2, 0})}, "axis=0",
          "repeat: repeats has the negative number -2; counts are at least 0 [repeat.negative]");
}

static Arrays unstack_reference(const Attrs& at, const Arrays& in) {
  const size_t axis = axis_of(in[0], at.get<int64_t>("axis"));
  Places shape = in[0].shape;
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  Arrays out;
  for (int64_t i = 0; i < in[0].shape[axis]; ++i) {
    out.push_back(moved_from(in[0], shape, [&](Places place) {
      place.insert(place.begin() + static_cast<std::ptrdiff_t>(axis), i);
      return place;
    }));
  }
  return out;
}

WEFT_OP_TEST(unstack) {
  t.skip("symbolic", "there is a result for each slice, so their number must be known");
  t.sample({in({2, 3})});
  t.sample({in({2, 3})}, "axis=-1");
  t.large({in({3, 300, 301})}, "axis=0");
  t.reference(unstack_reference);
  t.error("axis", {in({2, 3})}, "axis=2",
          "unstack: axis 2 is out of range for shape [2, 3]; axes go from -2 to 1 [unstack.axis]");
  t.error("many", {typed(in({1048577}), DType::kBool)}, "",
          "unstack: axis 0 of shape [1048577] has 1048577 slices; unstack makes a tensor of each "
          "of at most 1048576 [unstack.many]");
}

// The value at a place of a larger shape, where axes of size 1 repeat.
static Array repeated_to(const Array& x, const Places& shape) {
  return moved_from(x, shape, [&](const Places& place) {
    Places own;
    for (size_t d = 0; d < x.shape.size(); ++d) {
      own.push_back(x.shape[d] == 1 ? 0 : place[place.size() - x.shape.size() + d]);
    }
    return own;
  });
}

static Arrays broadcast_reference(const Attrs&, const Arrays& in) {
  Places shape;
  for (const Array& x : in) {
    while (shape.size() < x.shape.size()) shape.insert(shape.begin(), 1);
    for (size_t d = 0; d < x.shape.size(); ++d) {
      if (x.shape[d] != 1) shape[shape.size() - x.shape.size() + d] = x.shape[d];
    }
  }
  Arrays out;
  for (const Array& x : in) out.push_back(repeated_to(x, shape));
  return out;
}

WEFT_OP_TEST(broadcast_arrays) {
  t.sample({in({2, 1}), in({3})});
  t.sample({in({}), in({2}), in({1, 2})});
  t.sample({in({0, 3}), in({1})});
  t.large({in({300, 1}), in({301})});
  t.reference(broadcast_reference);
  t.error("broadcast", {in({2}), in({3})}, "",
          "broadcast_arrays: shapes [2] and [3] do not broadcast: axis -1 has size 2 and 3; sizes "
          "must be equal or 1 [broadcast_arrays.broadcast]");
}

static Arrays meshgrid_reference(const Attrs& at, const Arrays& in) {
  const bool exchanged = at.get<std::string>("indexing") == "xy" && in.size() > 1;
  Places shape;
  for (const Array& x : in) shape.push_back(static_cast<int64_t>(x.values.size()));
  if (exchanged) std::swap(shape[0], shape[1]);
  Arrays out;
  for (size_t k = 0; k < in.size(); ++k) {
    const size_t axis = exchanged && k < 2 ? 1 - k : k;
    const Array flat = reshaped(in[k], {static_cast<int64_t>(in[k].values.size())});
    out.push_back(
        moved_from(flat, shape, [&](const Places& place) { return Places{place[axis]}; }));
  }
  return out;
}

WEFT_OP_TEST(meshgrid) {
  t.sample({in({2}), in({3})});
  t.sample({in({2}), in({3}), in({2})}, "indexing=\"ij\"");
  t.sample({in({2}), in({}), in({2})});
  t.sample({in({3})});
  t.large({in({300}), in({301})});
  t.reference(meshgrid_reference);
  t.error("indexing", {in({2})}, "indexing=\"yx\"",
          "meshgrid: indexing is \"yx\"; it must be \"xy\" or \"ij\" [meshgrid.indexing]");
  t.error("rank", {in({2}), in({2, 2})}, "",
          "meshgrid: input 1 has shape [2, 2]; inputs have rank 0 or 1 [meshgrid.rank]");
}

// Axes of size 1 around those there are.
static Arrays with_axes(const Array& x, size_t rank) {
  Places shape = x.shape;
  if (shape.size() < rank && shape.empty()) shape.push_back(1);
  if (shape.size() < rank && shape.size() == 1) shape.insert(shape.begin(), 1);
  if (shape.size() < rank) shape.push_back(1);
  return {reshaped(x, shape)};
}
static Arrays one_axis(const Attrs&, const Arrays& in) { return with_axes(in[0], 1); }
static Arrays two_axes(const Attrs&, const Arrays& in) { return with_axes(in[0], 2); }
static Arrays three_axes(const Attrs&, const Arrays& in) { return with_axes(in[0], 3); }

static void of_every_rank(OpTest& t) {
  t.sample({in({})});
  t.sample({in({3})});
  t.sample({in({2, 3})});
  t.sample({in({2, 3, 1, 2})});
  t.large({in({300, 301})});
}
WEFT_OP_TEST(atleast_1d) {
  of_every_rank(t);
  t.reference(one_axis);
}
WEFT_OP_TEST(atleast_2d) {
  of_every_rank(t);
  t.reference(two_axes);
}
WEFT_OP_TEST(atleast_3d) {
  of_every_rank(t);
  t.reference(three_axes);
}

static Array triangle(const Attrs& at, const Array& x, bool lower) {
  Array out = x;
  for (size_t i = 0; i < x.values.size(); ++i) {
    const Places place = unravel(static_cast<int64_t>(i), x.shape);
    const int64_t offset = place[place.size() - 1] - place[place.size() - 2];
    const bool kept = lower ? offset <= at.get<int64_t>("k") : offset >= at.get<int64_t>("k");
    if (!kept) out.values[i] = ScalarValue{};
  }
  return out;
}
static Arrays tril_reference(const Attrs& at, const Arrays& in) {
  return {triangle(at, in[0], true)};
}
static Arrays triu_reference(const Attrs& at, const Arrays& in) {
  return {triangle(at, in[0], false)};
}

static void triangles(OpTest& t, const std::string& op) {
  t.sample({in({3, 4})});
  t.sample({in({2, 3, 3})}, "k=1");
  t.sample({in({4, 2})}, "k=-2");
  t.sample({in({0, 2})});
  t.large({in({300, 301})}, "k=3");
  t.error("rank", {in({3})}, "",
          op + ": x has shape [3]; it must have rank 2 or more [" + op + ".rank]");
}
WEFT_OP_TEST(tril) {
  triangles(t, "tril");
  t.reference(tril_reference);
}
WEFT_OP_TEST(triu) {
  triangles(t, "triu");
  t.reference(triu_reference);
}

// The result has its matrices last, or in axes 0 and 1 if axis1 is 0.
static Arrays embed_reference(const Attrs& at, const Arrays& in) {
  const int64_t k = at.get<int64_t>("offset"), length = in[0].shape.back();
  const int64_t size = length + (k < 0 ? -k : k);
  const bool first = at.get<int64_t>("axis1") == 0 && in[0].shape.size() > 1;
  Places rest(in[0].shape.begin(), in[0].shape.end() - 1), shape = rest;
  shape.insert(first ? shape.begin() : shape.end(), 2, size);
  Array out = like(in[0], shape);
  for (int64_t i = 0; i < static_cast<int64_t>(in[0].values.size()); ++i) {
    Places place = unravel(i, in[0].shape);
    const int64_t along = place.back();
    place.pop_back();
    const Places matrix{along + (k < 0 ? -k : 0), along + (k > 0 ? k : 0)};
    place.insert(first ? place.begin() : place.end(), matrix.begin(), matrix.end());
    out.values[static_cast<size_t>(ravel(place, shape))] = in[0].values[static_cast<size_t>(i)];
  }
  return {out};
}

WEFT_OP_TEST(diag_embed) {
  t.sample({in({3})});
  t.sample({in({2, 3})}, "offset=1");
  t.sample({in({2, 2})}, "offset=-2");
  t.sample({in({2, 3})}, "axis1=0, axis2=1");
  t.sample({in({2, 0})});
  t.large({in({40, 60})}, "offset=1");
  t.reference(embed_reference);
  t.error("rank", {in({})}, "",
          "diag_embed: x has rank 0; it needs an axis to lay along a diagonal [diag_embed.rank]");
  t.error("offset", {in({2})}, "offset=4294967296",
          "diag_embed: offset is 4294967296; it must be between -2^31 and 2^31 "
          "[diag_embed.offset]");
  t.error("axis_twice", {in({2})}, "axis1=1, axis2=1",
          "diag_embed: axes [1, 1] name an axis of shape [2, 2] twice; name each axis once "
          "[diag_embed.axis_twice]");
}

static Arrays diag_reference(const Attrs& at, const Arrays& in) {
  const int64_t k = at.get<int64_t>("k");
  const Array& x = in[0];
  const int64_t down = k < 0 ? -k : 0, right = k > 0 ? k : 0;
  if (x.shape.size() == 1) {
    const int64_t size = x.shape[0] + down + right;
    Array out = like(x, {size, size});
    for (int64_t i = 0; i < x.shape[0]; ++i) {
      const auto to = static_cast<size_t>(ravel({i + down, i + right}, out.shape));
      out.values[to] = x.values[static_cast<size_t>(i)];
    }
    return {out};
  }
  const int64_t length = std::max<int64_t>(0, std::min(x.shape[0] - down, x.shape[1] - right));
  return {moved_from(
      x, {length}, [&](const Places& place) { return Places{place[0] + down, place[0] + right}; })};
}

WEFT_OP_TEST(diag) {
  t.sample({in({3})}, "k=1");
  t.sample({in({3, 4})});
  t.sample({in({3, 4})}, "k=2");
  t.sample({in({3, 4})}, "k=-1");
  t.sample({in({3, 4})}, "k=9");
  t.sample({in({3, 4})}, "k=-3");
  t.large({in({300, 301})});
  t.reference(diag_reference);
  t.error("rank", {in({1, 2, 3})}, "",
          "diag: x has shape [1, 2, 3]; it must have rank 1 or 2 (diag_embed and diagonal take "
          "batches) [diag.rank]");
}
