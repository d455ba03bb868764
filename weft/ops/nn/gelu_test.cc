// Samples of gelu.
#include "tests/op_suite/scalar_reference.h"

using namespace weft::suite;

namespace {

ScalarValue gelu(DType, const ScalarValue* v) {
  const long double x = v[0].re;
  return {std::isinf(x) && x < 0 ? 0.0L : x * std::erfc(-x / std::sqrt(2.0L)) / 2, 0, 0};
}

Arrays reference(const Attrs&, const Arrays& in) { return scalar_reference(in, gelu); }

}  // namespace

WEFT_OP_TEST(gelu) {
  t.sample({in({3, 4}, -4, 4)});
  t.sample({in({2, 0})});
  t.sample({in({})});
  t.sample({in({17}, -12, 4)});
  t.reference(reference);
  t.error("dtype", {typed(in({2}), DType::kC64)}, "",
          "gelu: x has dtype complex64, but must be floating; cast it first [gelu.dtype]");
  t.error("count", {in({2}), in({2})}, "", "gelu: takes 1 input, but got 2 [gelu.count]");
}
