// Samples of floor_divide.
#include "tests/op_suite/scalar_reference.h"

using namespace weft::suite;

namespace {

// Of integers: rounded down, 0 over 0, the smallest one over -1 is itself.
int64_t integer_quotient(DType dtype, int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (dtype == DType::kU64)
    return static_cast<int64_t>(static_cast<uint64_t>(a) / static_cast<uint64_t>(b));
  if (b == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

// The array API's `//`: as Python's, but an infinity for inf // x.
long double float_quotient(long double a, long double b) {
  if (b == 0 || !std::isfinite(a) || std::isnan(b)) return a / b;
  if (std::isinf(b)) return a != 0 && (a < 0) != (b < 0) ? -1.0L : 0.0L * a / b;
  long double rest = std::fmod(a, b);  // exact
  if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
  return std::copysign(std::round((a - rest) / b), a / b);
}

ScalarValue quotient(DType dtype, const ScalarValue* v) {
  if (weft::is_integer(dtype)) return {0, 0, integer_quotient(dtype, v[0].i, v[1].i)};
  return {float_quotient(v[0].re, v[1].re), 0, 0};
}

Arrays reference(const Attrs&, const Arrays& in) { return scalar_reference(in, quotient); }

}  // namespace

WEFT_OP_TEST(floor_divide) {
  t.sample({in({3, 4}, -20, 20), in({3, 4}, 1.5, 3)});
  t.sample({in({3, 1}, -20, 20), in({4}, -3, -1.5)});
  t.sample({exactly({}, {7.3}), exactly({4}, {2, -2, 0.7, -0.7})});
  t.kink({exactly({3}, {1, 6, 0.3}), exactly({3}, {0.1, 0.1, 0.1})}, "", "the quotients jump here");
  t.sample({in({0, 3}), in({3})});
  t.reference(reference);
  t.error("broadcast", {in({3, 4}), in({3})}, "",
          "floor_divide: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; sizes "
          "must be equal or 1 [floor_divide.broadcast]");
  t.error(
      "dtype", {typed(in({2}), DType::kC64), typed(in({2}), DType::kC64)}, "",
      "floor_divide: a has dtype complex64, but must be real; cast it first [floor_divide.dtype]");
  t.error("promotion", {typed(in({2}), DType::kU64), typed(in({2}), DType::kI64)}, "",
          "floor_divide: uint64 and int64 have no common dtype that holds both; cast one of them "
          "[floor_divide.promotion]");
  t.error("count", {in({2})}, "", "floor_divide: takes 2 inputs, but got 1 [floor_divide.count]");
}
