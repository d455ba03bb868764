// Samples of mean.
#include "weft/ops/reduce/reduce_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  const bool complex = is_complex(in[0].dtype);
  return reduce_reference(at, in[0], in[0].dtype, [complex](const Row& row) {
    ScalarValue total;
    for (const ScalarValue& v : row) total = plus(total, v);
    const auto n = static_cast<long double>(row.size());
    return ScalarValue{total.re / n, complex ? total.im / n : 0, 0};
  });
}

WEFT_OP_TEST(mean) {
  t.sample({in({3, 4})});
  t.sample({in({3, 4, 5})}, "axis=[1]");
  t.sample({in({3, 4, 5})}, "axis=[0, -1], keepdims=true");
  t.sample({in({2, 700})}, "axis=[1]");
  t.sample({in({300, 3})}, "axis=[0]");
  t.sample({in({3, 4})}, "axis=[]");
  t.sample({in({})});
  t.sample({in({0, 3})}, "axis=[0]");
  t.sample({in({70000}, 60, 70)});
  t.reference(reference);
  t.error("axis", {in({3, 4})}, "axis=[2]",
          "mean: axis 2 is out of range for shape [3, 4]; axes go from -2 to 1 [mean.axis]");
  t.error("axis", {in({})}, "axis=[0]",
          "mean: axis 0 is out of range: the input has rank 0 and no axes [mean.axis]");
  t.error("axis_twice", {in({3, 4})}, "axis=[0, -2]",
          "mean: axes [0, -2] name an axis of shape [3, 4] twice; name each axis once "
          "[mean.axis_twice]");
}
