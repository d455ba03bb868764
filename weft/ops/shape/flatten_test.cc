// Samples of flatten and ravel.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

static Arrays flatten_reference(const Attrs& at, const Arrays& in) {
  Array x = in[0];
  if (x.shape.empty()) x.shape = {1};
  const size_t first = axis_of(x, at.get<int64_t>("start_axis"));
  const size_t last = axis_of(x, at.get<int64_t>("end_axis"));
  Places shape(x.shape.begin(), x.shape.begin() + static_cast<int64_t>(first) + 1);
  for (size_t i = first + 1; i <= last; ++i) shape.back() *= x.shape[i];
  for (size_t i = last + 1; i < x.shape.size(); ++i) shape.push_back(x.shape[i]);
  return {reshaped(x, shape)};
}

WEFT_OP_TEST(flatten) {
  t.sample({in({2, 3})});
  t.sample({in({2, 3, 2, 2})}, "start_axis=1, end_axis=2");
  t.sample({in({2, 3, 2})}, "start_axis=-2");
  t.sample({in({})});
  t.sample({in({2, 0, 3})}, "start_axis=1");
  t.sample({in({3, 4})}, "start_axis=1, end_axis=1");
  t.large({in({30, 31, 32})}, "end_axis=1");
  t.reference(flatten_reference);
  t.error("order", {in({2, 3, 4})}, "start_axis=2, end_axis=1",
          "flatten: start_axis 2 lies behind end_axis 1 of shape [2, 3, 4]; it must not "
          "[flatten.order]");
  t.error("axis", {in({2, 3})}, "start_axis=2",
          "flatten: axis 2 is out of range for shape [2, 3]; axes go from -2 to 1 [flatten.axis]");
}

static Arrays ravel_reference(const Attrs&, const Arrays& in) {
  return {reshaped(in[0], {static_cast<int64_t>(in[0].values.size())})};
}

WEFT_OP_TEST(ravel) {
  t.sample({in({2, 3})});
  t.sample({in({})});
  t.sample({in({2, 0, 3})});
  t.sample({in({5})});
  t.large({in({30, 31, 32})});
  t.reference(ravel_reference);
  t.error("count", {in({2}), in({2})}, "", "ravel: takes 1 input, but got 2 [ravel.count]");
}
