// Samples of mean.
#include "weft/ops/reduce/reduce_reference.h"
#include "weft/ops/reduce/reduce_samples.h"

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
  t.skip("complex special", "dividing by a complex count spreads a NaN to both parts");
  axis_samples(t, in);
  t.kink({in({0, 3})}, "axis=[0]", "the mean of nothing is NaN");
  t.sample({in({70000}, 60, 70)});
  t.large({in({300, 301})});
  t.large({in({300, 301})}, "axis=[0]");
  t.reference(reference);
  axis_errors(t);
}
