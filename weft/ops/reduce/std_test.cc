// Samples of std.
#include "weft/ops/reduce/reduce_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  return reduce_reference(at, in[0], in[0].dtype, [&](const Row& row) {
    const long double variance = variance_of(row, at.get<double>("correction"));
    return ScalarValue{std::sqrt(variance), 0, 0};
  });
}

WEFT_OP_TEST(std) {
  t.sample({in({3, 4})});
  t.sample({in({3, 4, 5})}, "axis=[1]");
  t.sample({in({3, 4, 5})}, "axis=[0, -1], keepdims=true");
  t.sample({in({2, 700})}, "axis=[1]");
  t.sample({in({300, 3})}, "axis=[0]");
  t.sample({in({3, 4})}, "axis=[]");
  t.sample({in({})});
  t.sample({in({3, 4})}, "axis=[1], correction=1");
  t.sample({in({3, 4})}, "axis=[1], correction=0.5, keepdims=true");
  t.sample({in({3, 1})}, "axis=[1], correction=1");
  t.sample({in({0, 3})}, "axis=[0]");
  t.sample({in({2, 50}, 1000, 1001)}, "axis=[1]");  // far from 0: no cancellation
  t.reference(reference);
  t.error("dtype", {typed(in({2}), weft::DType::kC64)}, "",
          "std: x has dtype complex64, but must be floating; cast it first [std.dtype]");
  t.error("axis", {in({3, 4})}, "axis=[2]",
          "std: axis 2 is out of range for shape [3, 4]; axes go from -2 to 1 [std.axis]");
  t.error("axis", {in({})}, "axis=[0]",
          "std: axis 0 is out of range: the input has rank 0 and no axes [std.axis]");
  t.error(
      "axis_twice", {in({3, 4})}, "axis=[0, -2]",
      "std: axes [0, -2] name an axis of shape [3, 4] twice; name each axis once [std.axis_twice]");
}
