// Samples of pow.
#include "tests/op_suite/scalar_reference.h"

using namespace weft::suite;

namespace {

// By repeated squaring modulo 2^64; the dtype keeps the low bits.
int64_t integer_power(DType dtype, int64_t a, int64_t b) {
  if (weft::is_signed_integer(dtype) && b < 0)
    return a == 1 ? 1 : a != -1 ? 0 : b % 2 == 0 ? 1 : -1;
  uint64_t power = 1, base = static_cast<uint64_t>(a);
  for (uint64_t left = static_cast<uint64_t>(b); left != 0; left /= 2) {
    if (left % 2 == 1) power *= base;
    base *= base;
  }
  return static_cast<int64_t>(power);
}

ScalarValue power(DType dtype, const ScalarValue* v) {
  if (weft::is_integer(dtype)) return {0, 0, integer_power(dtype, v[0].i, v[1].i)};
  if (!weft::is_complex(dtype)) return {std::pow(v[0].re, v[1].re), 0, 0};
  const std::complex<long double> a(v[0].re, v[0].im), b(v[1].re, v[1].im);
  const std::complex<long double> out = std::pow(a, b);
  return {out.real(), out.imag(), 0};
}

Arrays reference(const Attrs&, const Arrays& in) { return scalar_reference(in, power); }

}  // namespace

WEFT_OP_TEST(pow) {
  t.skip("complex special", "exp(b log a): C leaves them open, and so does the array API");
  t.sample({in({3, 4}, 0.3, 3), in({3, 4}, -3, 3)});
  t.sample({in({3, 1}, 0.3, 3), in({4}, -3, 3)});
  t.sample({in({}, 0.5, 3), in({2, 3})});
  t.sample({in({2, 3}, 0.5, 3), exactly({}, {2})});
  t.sample({in({0, 3}), in({3})});
  t.reference(reference);
  t.error("broadcast", {in({3, 4}), in({3})}, "",
          "pow: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; sizes must be "
          "equal or 1 [pow.broadcast]");
  t.error("promotion", {typed(in({2}), DType::kU64), typed(in({2}), DType::kI64)}, "",
          "pow: uint64 and int64 have no common dtype that holds both; cast one of them "
          "[pow.promotion]");
  t.error("count", {in({2})}, "", "pow: takes 2 inputs, but got 1 [pow.count]");
}
