// Samples of count_nonzero.
#include "weft/ops/reduce/reduce_reference.h"
#include "weft/ops/reduce/reduce_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(count_nonzero) {
  axis_samples(t, in);
  t.sample({exactly({2, 4}, {0, 1, 2, 0, 0, 0, 0, -1})}, "axis=[1]");
  t.sample({exactly({4}, {NAN, -0.0, 0, INFINITY}, DType::kF32)});
  t.sample({in({0, 3})}, "axis=[0]");
  t.large({in({300, 301}, 0, 2)}, "axis=[0]");
  axis_errors(t);
  t.reference([](const Attrs& at, const Arrays& in) {
    return reduce_reference(at, in[0], DType::kI64, [](const Row& row) {
      int64_t n = 0;
      for (const ScalarValue& v : row) n += v.re != 0 || v.im != 0 || v.i != 0;
      return ScalarValue{0, 0, n};
    });
  });
}
