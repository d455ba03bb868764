// Samples of argwhere and nonzero.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

static std::vector<Places> found(const Array& x) {
  std::vector<Places> out;
  for (size_t i = 0; i < x.values.size(); ++i) {
    const ScalarValue& v = x.values[i];
    const bool is_integer = weft::kind_of(x.dtype) <= Kind::kInteger;
    const bool zero = is_integer ? v.i == 0 : v.re == 0 && v.im == 0;
    if (!zero) out.push_back(unravel(static_cast<int64_t>(i), x.shape));
  }
  return out;
}

static Array int_array(const Places& shape) {
  return {DType::kI64, shape, std::vector<ScalarValue>(static_cast<size_t>(count(shape)))};
}

static Arrays argwhere_reference(const Attrs&, const Arrays& in) {
  const std::vector<Places> places = found(in[0]);
  Array out =
      int_array({static_cast<int64_t>(places.size()), static_cast<int64_t>(in[0].shape.size())});
  size_t next = 0;
  for (const Places& place : places) {
    for (int64_t coordinate : place) out.values[next++].i = coordinate;
  }
  return {out};
}

static Arrays nonzero_reference(const Attrs&, const Arrays& in) {
  const std::vector<Places> places = found(in[0]);
  Arrays out;
  for (size_t axis = 0; axis < in[0].shape.size(); ++axis) {
    out.push_back(int_array({static_cast<int64_t>(places.size())}));
    for (size_t i = 0; i < places.size(); ++i) out.back().values[i].i = places[i][axis];
  }
  return out;
}

static void samples(OpTest& t) {
  t.skip("symbolic", "values decide the size of the result");
  for (const char* column : {"vmap", "vmap(grad)", "grad(vmap)"}) {
    t.skip(column, "raises [argwhere.batch]: values decide the size of the result");
  }
  t.sample({exactly({5}, {0, 1, 2, 0, 1})});
  t.sample({exactly({2, 3}, {0, 0, 1, 1, 0, 1})});
  t.sample({exactly({2, 2, 2}, {0, 0, 1, 1, 0, 1, 0, 1})});
  t.sample({exactly({3}, {0, 0, 0})});
  t.sample({in({0, 3})});
  t.large({in({30, 40, 50}, -0.6, 0.6)});
}

WEFT_OP_TEST(argwhere) {
  samples(t);
  t.sample({exactly({}, {1})});
  t.reference(argwhere_reference);
}

WEFT_OP_TEST(nonzero) {
  samples(t);
  t.reference(nonzero_reference);
  t.error("rank", {in({})}, "",
          "nonzero: x has rank 0; it needs an axis, along which indices count [nonzero.rank]");
}
