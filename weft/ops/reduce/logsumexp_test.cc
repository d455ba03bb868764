// Samples of logsumexp.
#include "weft/ops/reduce/reduce_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  return reduce_reference(at, in[0], in[0].dtype, [](const Row& row) {
    long double greatest = -INFINITY, total = 0;
    for (const ScalarValue& v : row) greatest = std::fmax(greatest, v.re);
    if (std::isinf(greatest)) return ScalarValue{greatest, 0, 0};
    for (const ScalarValue& v : row) total += std::exp(v.re - greatest);
    return ScalarValue{greatest + std::log(total), 0, 0};
  });
}

WEFT_OP_TEST(logsumexp) {
  t.sample({in({3, 4})});
  t.sample({in({3, 4, 5})}, "axis=[1]");
  t.sample({in({3, 4, 5})}, "axis=[0, -1], keepdims=true");
  t.sample({in({2, 700})}, "axis=[1]");
  t.sample({in({300, 3})}, "axis=[0]");
  t.sample({in({3, 4})}, "axis=[]");
  t.sample({in({})});
  t.sample({in({3, 4}, 500, 600)}, "axis=[1]");
  t.sample({in({3, 4}, -600, -500)}, "axis=[1]");
  t.sample({exactly({3, 2}, {-INFINITY, -INFINITY, -INFINITY, 1, INFINITY, 2})}, "axis=[1]");
  t.sample({in({3, 0})}, "axis=[1]");
  t.sample({in({0, 3})}, "axis=[1]");
  t.reference(reference);
  t.error("dtype", {typed(in({2}), weft::DType::kC64)}, "",
          "logsumexp: x has dtype complex64, but must be floating; cast it first "
          "[logsumexp.dtype]");
  t.error(
      "axis", {in({3, 4})}, "axis=[2]",
      "logsumexp: axis 2 is out of range for shape [3, 4]; axes go from -2 to 1 [logsumexp.axis]");
  t.error("axis", {in({})}, "axis=[0]",
          "logsumexp: axis 0 is out of range: the input has rank 0 and no axes [logsumexp.axis]");
  t.error("axis_twice", {in({3, 4})}, "axis=[0, -2]",
          "logsumexp: axes [0, -2] name an axis of shape [3, 4] twice; name each axis once "
          "[logsumexp.axis_twice]");
}
