// Samples of hardtanh.
#include "tests/op_suite/scalar_reference.h"

using namespace weft::suite;

namespace {

Arrays reference(const Attrs& at, const Arrays& in) {
  Arrays out = in;
  const double low = at.get<double>("min_val"), high = at.get<double>("max_val");
  for (ScalarValue& v : out[0].values) v.re = v.re < low ? low : v.re > high ? high : v.re;
  return out;
}

}  // namespace

WEFT_OP_TEST(nn__hardtanh) {
  t.sample({in({3, 4}, -0.9, 0.9)});
  t.sample({in({5}, 1.1, 3)});
  t.sample({in({2, 0})});
  t.sample({distinct({5}, -3, 3)}, "min_val=-2.0, max_val=0.5");
  t.large({in({300, 302})});
  t.reference(reference);
  t.error("count", {in({2}), in({2})}, "", "hardtanh: takes 1 input, but got 2 [hardtanh.count]");
}
