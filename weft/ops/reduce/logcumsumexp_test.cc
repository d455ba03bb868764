// Samples of logcumsumexp.
#include "weft/ops/reduce/reduce_reference.h"
#include "weft/ops/reduce/reduce_samples.h"

using namespace weft::suite;

static ScalarValue log_plus(const ScalarValue& a, const ScalarValue& b) {
  const long double gap = a.re == b.re ? 0 : a.re - b.re;
  const long double high = a.re < b.re || std::isnan(b.re) ? b.re : a.re;
  return {high + std::log1p(std::exp(-std::abs(gap))), 0, 0};
}

WEFT_OP_TEST(logcumsumexp) {
  scan_tests(t, "logcumsumexp", 2);
  t.sample({in({7}, -30, 30)}, "axis=0");
  t.sample({in({2, 50}, -9, 9)}, "axis=1");
  t.kink({exactly({2, 3}, {-INFINITY, -INFINITY, 1, 2, INFINITY, 0}, DType::kF32)}, "axis=1",
         "infinities have no neighbours");
  t.reference([](const Attrs& at, const Arrays& in) {
    return scan_reference(at, in[0], log_plus, {-INFINITY, 0, 0});
  });
}
