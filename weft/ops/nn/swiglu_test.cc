// Samples of swiglu.
#include "tests/op_suite/scalar_reference.h"

using namespace weft::suite;

namespace {

Arrays reference(const Attrs& at, const Arrays& in) {
  std::vector<int64_t> shape = in[0].shape;
  const auto axis =
      static_cast<size_t>(normalized(at.get<int64_t>("axis"), static_cast<int64_t>(shape.size())));
  shape[axis] /= 2;
  Array out = like(in[0], shape);
  for (size_t i = 0; i < out.values.size(); ++i) {
    std::vector<int64_t> index = unravel(static_cast<int64_t>(i), shape);
    const long double a = in[0].values[static_cast<size_t>(ravel(index, in[0].shape))].re;
    index[axis] += shape[axis];
    const long double b = in[0].values[static_cast<size_t>(ravel(index, in[0].shape))].re;
    out.values[i] =
        stored_as(out.dtype, {std::isinf(a) && a < 0 ? 0 * b : a / (1 + std::exp(-a)) * b, 0, 0});
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(nn__swiglu) {
  t.sample({in({3, 4})});
  t.sample({in({4, 3, 2})}, "axis=0");
  t.sample({in({2, 0})});
  t.sample({in({3, 6, 2}, -8, 8)}, "axis=1");
  t.large({in({300, 302})});
  t.skip("symbolic", "a size that is not known cannot be halved");
  t.reference(reference);
  t.error("axis", {in({4})}, "axis=1",
          "swiglu: axis 1 is out of range for shape [4]; axes go from -1 to 0 [swiglu.axis]");
  t.error(
      "even", {in({2, 3})}, "",
      "swiglu: axis -1 of shape [2, 3] has size 3; it must be even, to be halved [swiglu.even]");
  t.error("count", {in({2}), in({2})}, "", "swiglu: takes 1 input, but got 2 [swiglu.count]");
}

WEFT_OP_TEST(nn__swiglu__gate) {
  t.sample({in({3, 4}), in({3, 4})});
  t.sample({in({3, 1}), in({4}, -8, 8)});
  t.error("broadcast", {in({3, 4}), in({3})}, "",
          "swiglu.gate: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; sizes "
          "must be equal or 1 [swiglu.gate.broadcast]");
}
