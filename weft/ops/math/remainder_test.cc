// Samples of remainder.
#include "tests/op_suite/scalar_reference.h"

using namespace weft::suite;

namespace {

int64_t integer_rest(DType dtype, int64_t a, int64_t b) {
  if (b == 0) return a;
  if (dtype == DType::kU64)
    return static_cast<int64_t>(static_cast<uint64_t>(a) % static_cast<uint64_t>(b));
  if (b == -1) return 0;
  const int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// Python's `%`.
long double float_rest(long double a, long double b) {
  const long double rest = std::fmod(a, b);  // exact
  if (rest == 0) return std::copysign(0.0L, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

ScalarValue rest(DType dtype, const ScalarValue* v) {
  if (weft::is_integer(dtype)) return {0, 0, integer_rest(dtype, v[0].i, v[1].i)};
  return {float_rest(v[0].re, v[1].re), 0, 0};
}

Arrays reference(const Attrs&, const Arrays& in) { return scalar_reference(in, rest); }

}  // namespace

WEFT_OP_TEST(remainder) {
  t.sample({in({3, 4}, 3.2, 3.8), in({3, 4}, 2.1, 3)});
  t.sample({in({3, 1}, -3.8, -3.2), in({4}, 2, 3)});
  t.sample({in({}, 3.2, 3.8), in({2, 3}, -3, -2)});
  t.sample({exactly({4}, {7, -7, 7, -7}), exactly({4}, {3, 3, -3, -3})});
  t.sample({in({0, 3}), in({3})});
  t.reference(reference);
  t.error("broadcast", {in({3, 4}), in({3})}, "",
          "remainder: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; sizes must "
          "be equal or 1 [remainder.broadcast]");
  t.error("dtype", {typed(in({2}), DType::kC64), typed(in({2}), DType::kC64)}, "",
          "remainder: a has dtype complex64, but must be real; cast it first [remainder.dtype]");
  t.error("promotion", {typed(in({2}), DType::kU64), typed(in({2}), DType::kI64)}, "",
          "remainder: uint64 and int64 have no common dtype that holds both; cast one of them "
          "[remainder.promotion]");
  t.error("count", {in({2})}, "", "remainder: takes 2 inputs, but got 1 [remainder.count]");
}
