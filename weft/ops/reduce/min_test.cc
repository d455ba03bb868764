// Samples of min.
#include <cmath>

#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(min) {
  t.sample({distinct({3, 4})});
  t.sample({distinct({3, 4, 5})}, "axis=[1]");
  t.sample({distinct({3, 4, 5})}, "axis=[0, -1], keepdims=true");
  t.sample({distinct({2, 700})}, "axis=[1]");
  t.sample({distinct({300, 3})}, "axis=[0]");
  t.sample({distinct({3, 4})}, "axis=[]");
  t.sample({distinct({})});
  t.sample({exactly({2, 3}, {NAN, 1, 2, 0, -0.0, -INFINITY}, weft::DType::kF32)}, "axis=[1]");
  t.sample({in({0, 3})}, "axis=[1]");
  t.error("empty", {in({3, 0})}, "axis=[1]",
          "min: axis 1 of shape [3, 0] has no elements, and none of nothing can be chosen; reduce "
          "axes of size 1 or more [min.empty]");
  t.error("dtype", {typed(in({2}), weft::DType::kC64)}, "",
          "min: x has dtype complex64, but must be ordered; cast it first [min.dtype]");
  t.error("axis", {in({3, 4})}, "axis=[2]",
          "min: axis 2 is out of range for shape [3, 4]; axes go from -2 to 1 [min.axis]");
  t.error("axis", {in({})}, "axis=[0]",
          "min: axis 0 is out of range: the input has rank 0 and no axes [min.axis]");
  t.error(
      "axis_twice", {in({3, 4})}, "axis=[0, -2]",
      "min: axes [0, -2] name an axis of shape [3, 4] twice; name each axis once [min.axis_twice]");
}
