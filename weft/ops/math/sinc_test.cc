// Samples of sinc.
#include "tests/op_suite/scalar_reference.h"

using namespace weft::suite;

namespace {

ScalarValue sinc(DType, const ScalarValue* v) {
  const long double x = std::fabs(v[0].re);
  if (x == 0) return {1, 0, 0};
  long double r = std::remainder(x, 2.0L);
  if (std::fabs(r) > 0.5L) r = std::copysign(1 - std::fabs(r), r);
  const long double pi = std::acos(-1.0L);
  return {std::sin(pi * r) / (pi * x), 0, 0};
}

Arrays reference(const Attrs&, const Arrays& in) { return scalar_reference(in, sinc); }

}  // namespace

WEFT_OP_TEST(sinc) {
  t.sample({in({3, 4}, 0.3, 3.2)});
  t.sample({in({2, 0}, 0.3, 3.2)});
  t.sample({in({}, 0.3, 3.2)});
  t.sample({in({17}, 0.3, 3.2)});
  t.sample({in({6}, -0.24, 0.24)});
  t.sample({exactly({5}, {0, 1, -2, 0.5, 101.5})});
  t.reference(reference);
  t.error("dtype", {typed(in({2}), weft::DType::kC64)}, "",
          "sinc: x has dtype complex64, but must be floating; cast it first [sinc.dtype]");
  t.error("count", {in({2}), in({2})}, "", "sinc: takes 1 input, but got 2 [sinc.count]");
}
