// Samples of vstack and hstack.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

// Along `axis`, of arrays with at least that many axes.
static Array joined(const Arrays& xs, size_t axis) {
  Places shape = xs[0].shape;
  shape[axis] = 0;
  for (const Array& x : xs) shape[axis] += x.shape[axis];
  Array out = like(xs[0], shape);
  int64_t begin = 0;
  for (const Array& x : xs) {
    for (size_t i = 0; i < x.values.size(); ++i) {
      Places place = unravel(static_cast<int64_t>(i), x.shape);
      place[axis] += begin;
      out.values[static_cast<size_t>(ravel(place, shape))] = x.values[i];
    }
    begin += x.shape[axis];
  }
  return out;
}

static Arrays vstack_reference(const Attrs&, const Arrays& in) {
  Arrays xs = in;
  for (Array& x : xs) {
    while (x.shape.size() < 2) x.shape.insert(x.shape.begin(), 1);
  }
  return {joined(xs, 0)};
}

WEFT_OP_TEST(vstack) {
  t.sample({in({3}), in({3})});
  t.sample({in({2, 3}), in({3}), in({1, 3})});
  t.sample({in({}), in({})});
  t.sample({in({2, 2, 2}), in({0, 2, 2})});
  t.large({in({300, 301}), in({20, 301})});
  t.reference(vstack_reference);
  t.error("shape", {in({2, 3}), in({2})}, "",
          "vstack: xs[1] has shape [2] but xs[0] has shape [2, 3]; joined along axis 0 they may "
          "differ only there [vstack.shape]");
}

static Arrays hstack_reference(const Attrs&, const Arrays& in) {
  Arrays xs = in;
  for (Array& x : xs) {
    if (x.shape.empty()) x.shape = {1};
  }
  return {joined(xs, xs[0].shape.size() == 1 ? 0 : 1)};
}

WEFT_OP_TEST(hstack) {
  t.sample({in({3}), in({2})});
  t.sample({in({2, 3}), in({2, 1}), in({2, 0})});
  t.sample({in({}), in({2})});
  t.sample({in({2, 2, 2}), in({2, 1, 2})});
  t.large({in({300, 301}), in({300, 20})});
  t.reference(hstack_reference);
  t.error("shape", {in({2, 3}), in({3, 3})}, "",
          "hstack: xs[1] has shape [3, 3] but xs[0] has shape [2, 3]; joined along axis 1 they may "
          "differ only there [hstack.shape]");
}
