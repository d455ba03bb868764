// Samples of gelu.
#include "tests/op_suite/scalar_reference.h"

using namespace weft::suite;

namespace {

long double exact(long double x) { return x * std::erfc(-x / std::sqrt(2.0L)) / 2; }
long double by_tanh(long double x) {
  const long double u = std::sqrt(2 / std::acos(-1.0L)) * (x + 0.044715L * x * x * x);
  return x / (1 + std::exp(-2 * u));
}

ScalarValue gelu(DType, const ScalarValue* v) {
  const long double x = v[0].re;
  return {std::isinf(x) && x < 0 ? 0.0L : exact(x), 0, 0};
}
ScalarValue gelu_tanh(DType, const ScalarValue* v) {
  const long double x = v[0].re;
  return {std::isinf(x) && x < 0 ? 0.0L : by_tanh(x), 0, 0};
}

Arrays reference(const Attrs& at, const Arrays& in) {
  const bool tanh = at.get<std::string>("approximate") == "tanh";
  return scalar_reference(in, tanh ? gelu_tanh : gelu);
}
Arrays erf_reference(const Attrs&, const Arrays& in) { return scalar_reference(in, gelu); }
Arrays tanh_reference(const Attrs&, const Arrays& in) { return scalar_reference(in, gelu_tanh); }

}  // namespace

WEFT_OP_TEST(gelu) {
  t.sample({in({3, 4}, -4, 4)});
  t.sample({in({2, 0})});
  t.sample({in({})});
  t.sample({in({17}, -12, 4)});
  t.sample({in({17}, -12, 4)}, "approximate=\"tanh\"");
  t.sample({in({3, 4}, -4, 4)}, "approximate=\"tanh\"");
  t.large({in({300, 301})});
  t.large({in({300, 301})}, "approximate=\"tanh\"");
  t.reference(reference);
  t.error("approximate", {in({2})}, "approximate=\"erf\"",
          "gelu: approximate is 'erf'; it must be 'none' or 'tanh' [gelu.approximate]");
  t.error("count", {in({2}), in({2})}, "", "gelu: takes 1 input, but got 2 [gelu.count]");
}

WEFT_OP_TEST(gelu__erf) {
  t.sample({in({3, 4}, -4, 4)});
  t.reference(erf_reference);
  t.error("dtype", {typed(in({2}), DType::kC64)}, "",
          "gelu.erf: x has dtype complex64, but must be floating; cast it first [gelu.erf.dtype]");
}

WEFT_OP_TEST(gelu__tanh) {
  t.sample({in({3, 4}, -4, 4)});
  t.reference(tanh_reference);
  t.error("dtype", {typed(in({2}), DType::kC64)}, "",
          "gelu.tanh: x has dtype complex64, but must be floating; cast it first "
          "[gelu.tanh.dtype]");
}
