// Samples of threshold.
#include "tests/op_suite/scalar_reference.h"

using namespace weft::suite;

namespace {

Arrays reference(const Attrs& at, const Arrays& in) {
  Arrays out = in;
  const double threshold = at.get<double>("threshold"), value = at.get<double>("value");
  for (ScalarValue& v : out[0].values) {
    if (v.re <= threshold) v.re = value;
  }
  return out;
}

}  // namespace

WEFT_OP_TEST(nn__threshold) {
  t.sample({in({3, 4}, 0.2, 2)}, "threshold=0.1, value=-3.0");
  t.sample({in({5}, -2, 0)}, "threshold=0.1, value=20.0");
  t.sample({in({2, 0})}, "threshold=0.0, value=0.0");
  t.large({in({300, 302})}, "threshold=0.1, value=-3.0");
  t.reference(reference);
  t.error("count", {in({2}), in({2})}, "threshold=0.0, value=0.0",
          "threshold: takes 1 input, but got 2 [threshold.count]");
}
