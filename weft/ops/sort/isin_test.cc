// Samples of isin.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  Array out{DType::kBool, in[0].shape, {}};
  for (const ScalarValue& x : in[0].values) {
    bool found = false;
    for (const ScalarValue& v : in[1].values) found = found || (v.re == x.re && v.i == x.i);
    ScalarValue one;
    one.i = found != at.get<bool>("invert");
    one.re = static_cast<long double>(one.i);
    out.values.push_back(one);
  }
  return {out};
}

WEFT_OP_TEST(isin) {
  t.skip("symbolic", "how many values there are must be known");
  t.sample({exactly({2, 3}, {0, 1, 2, 3, 1, 0}), exactly({2}, {1, 3})});
  t.sample({exactly({2, 3}, {0, 1, 2, 3, 1, 0}), exactly({2, 1}, {1, 0})}, "invert=true");
  t.sample({exactly({}, {1}), exactly({}, {1})});
  t.sample({exactly({3}, {0, 1, 2}), exactly({0}, {})});
  t.sample({exactly({3}, {0, 1, 2}), exactly({0}, {})}, "invert=true");
  t.sample({in({0, 3}), in({3})});
  t.large({in({300, 301}), in({40})});
  t.reference(reference);
  t.error("dtype", {typed(in({2}), DType::kC64), in({2})}, "",
          "isin: x has dtype complex64, but must be ordered; cast it first [isin.dtype]");
}
