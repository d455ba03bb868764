// Samples of angle.
#include "tests/op_suite/scalar_reference.h"

using namespace weft::suite;

namespace {

Arrays reference(const Attrs&, const Arrays& in) {
  Array out = like(in[0], in[0].shape);
  const DType dtype = in[0].dtype;
  out.dtype = weft::is_complex(dtype) ? weft::real_of(dtype) : dtype;
  if (weft::is_integer(dtype)) out.dtype = DType::kF32;
  for (size_t i = 0; i < out.values.size(); ++i) {
    const ScalarValue& v = in[0].values[i];
    const bool whole = weft::is_integer(dtype);
    const bool negative = weft::is_signed_integer(dtype) && v.i < 0;
    const long double x = whole ? (negative ? -1.0L : 1.0L) : v.re;
    out.values[i] = stored_as(out.dtype, {std::atan2(v.im, x), 0, 0});
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(angle) {
  t.sample({in({3, 4}, 0.1, 3)});
  t.sample({in({5}, -3, -0.1)});
  t.sample({in({2, 0})});
  t.sample({in({}, 0.1, 2)});
  t.large({in({300, 301})});
  t.reference(reference);
  t.error("count", {in({2}), in({2})}, "", "angle: takes 1 input, but got 2 [angle.count]");
}
