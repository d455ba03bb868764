// Samples of normalize.
#include <algorithm>
#include <cmath>

#include "tests/op_suite/samples.h"

using namespace weft::suite;

namespace {

Arrays reference(const Attrs& at, const Arrays& in) {
  const Array& x = in[0];
  const long double p = at.get<double>("p"), eps = at.get<double>("eps");
  const auto axis = static_cast<size_t>(
      normalized(at.get<int64_t>("axis"), static_cast<int64_t>(x.shape.size())));
  Array out = x;
  for (size_t i = 0; i < x.values.size(); ++i) {
    std::vector<int64_t> index = unravel(static_cast<int64_t>(i), x.shape);
    long double total = 0;
    for (index[axis] = 0; index[axis] < x.shape[axis]; ++index[axis]) {
      const ScalarValue& v = x.values[static_cast<size_t>(ravel(index, x.shape))];
      total += std::pow(std::hypot(v.re, v.im), p);
    }
    const long double by = std::max(std::pow(total, 1 / p), eps);
    out.values[i].re /= by;
    out.values[i].im /= by;
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(nn__normalize) {
  t.skip("special", "infinities and NaN are those of norm and divide, which are checked");
  t.skip("zero", "a vector with an infinity is NaN, and so is its gradient");
  t.sample({in({3, 4}, 0.5, 2)});
  t.sample({in({2, 3, 4}, 0.5, 2)}, "p=3.0, axis=0");
  t.sample({in({2, 3}, 0.5, 2)}, "axis=-1, eps=0.5");
  t.large({in({300, 301}, 0.5, 2)});
  t.reference(reference);
  t.tolerance(4, "the norm is rounded to f16 or bf16 before the division");
  t.error("axis", {in({3})}, "",
          "normalize: axis 1 is out of range for shape [3]; axes go from -1 to 0 "
          "[normalize.axis]");
}
