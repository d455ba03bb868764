// Samples of linear_recurrence.
#include "weft/ops/reduce/reduce_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  Array out = in[1];
  const std::vector<int64_t> axes{
      normalized(at.get<int64_t>("axis"), static_cast<int64_t>(out.shape.size()))};
  for (const std::vector<size_t>& line : reduction_groups(out, axes)) {
    for (size_t i = 1; i < line.size(); ++i) {
      out.values[line[i]] =
          plus(times(in[0].values[line[i]], out.values[line[i - 1]]), in[1].values[line[i]]);
    }
  }
  return {out};
}

WEFT_OP_TEST(linear_recurrence) {
  t.skip("zero",
         "0 times an infinite factor is NaN, in the gradient, a recurrence itself, as in the op");
  t.sample({in({5}), in({5})}, "axis=0");
  t.sample({in({3, 4}), in({3, 4})}, "axis=1");
  t.sample({in({2, 3, 4}), in({2, 3, 4})}, "axis=-2");
  t.sample({exactly({1, 4}, {3, 0, 2, 0}), in({1, 4})}, "axis=1");
  t.sample({in({2, 0}), in({2, 0})}, "axis=1");
  t.large({in({300, 301}, -1, 1), in({300, 301})}, "axis=1");
  t.large({in({300, 301}, -1, 1), in({300, 301})}, "axis=0");
  t.reference(reference);
  t.error("axis", {in({2, 3}), in({2, 3})}, "axis=2",
          "linear_recurrence: axis 2 is out of range for shape [2, 3]; axes go from -2 to 1 "
          "[linear_recurrence.axis]");
  t.error("shape", {in({2, 3}), in({3})}, "axis=0",
          "linear_recurrence: a has shape [2, 3] but b has shape [3]; they must be equal "
          "[linear_recurrence.shape]");
}
