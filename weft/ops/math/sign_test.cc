// Samples of sign.
#include "tests/op_suite/scalar_reference.h"

using namespace weft::suite;

namespace {

ScalarValue sign(DType dtype, const ScalarValue* v) {
  if (weft::is_unsigned_integer(dtype)) return {0, 0, v[0].i != 0};
  if (weft::is_integer(dtype)) return {0, 0, (v[0].i > 0) - (v[0].i < 0)};
  const long double re = v[0].re, im = v[0].im;
  if (!weft::is_complex(dtype)) return {re > 0 ? 1.0L : re < 0 ? -1.0L : re + 0.0L, 0, 0};
  const long double modulus = std::hypot(re, im);
  return modulus == 0 ? ScalarValue{} : ScalarValue{re / modulus, im / modulus, 0};
}

Arrays reference(const Attrs&, const Arrays& in) { return scalar_reference(in, sign); }

}  // namespace

WEFT_OP_TEST(sign) {
  t.sample({in({3, 4}, 0.1, 3)});
  t.sample({in({5}, -3, -0.1)});
  t.sample({in({}, 0.1, 3)});
  t.sample({in({0, 3})});
  t.reference(reference);
  t.error("count", {in({2}), in({2})}, "", "sign: takes 1 input, but got 2 [sign.count]");
}
