// Samples of max.
#include <cmath>

#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(max) {
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
          "max: axis 1 of shape [3, 0] has no elements, and none of nothing can be chosen; reduce "
          "axes of size 1 or more [max.empty]");
  t.error("dtype", {typed(in({2}), weft::DType::kC64)}, "",
          "max: x has dtype complex64, but must be ordered; cast it first [max.dtype]");
  t.error("axis", {in({3, 4})}, "axis=[2]",
          "max: axis 2 is out of range for shape [3, 4]; axes go from -2 to 1 [max.axis]");
  t.error("axis", {in({})}, "axis=[0]",
          "max: axis 0 is out of range: the input has rank 0 and no axes [max.axis]");
  t.error(
      "axis_twice", {in({3, 4})}, "axis=[0, -2]",
      "max: axes [0, -2] name an axis of shape [3, 4] twice; name each axis once [max.axis_twice]");
}
