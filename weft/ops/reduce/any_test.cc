// Samples of any.
#include <cmath>

#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(any) {
  t.sample({in({3, 4})});
  t.sample({in({3, 4, 5})}, "axis=[1]");
  t.sample({in({3, 4, 5})}, "axis=[0, -1], keepdims=true");
  t.sample({in({2, 700})}, "axis=[1]");
  t.sample({in({300, 3})}, "axis=[0]");
  t.sample({in({3, 4})}, "axis=[]");
  t.sample({in({})});
  t.sample({exactly({4, 3}, {0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1})}, "axis=[1]");
  t.sample({exactly({3}, {0, -0.0, 0})});
  t.sample({exactly({2}, {NAN, 0}, weft::DType::kF32)}, "axis=[]");
  t.sample({in({0, 3})}, "axis=[0]");
  t.error("axis", {in({3, 4})}, "axis=[2]",
          "any: axis 2 is out of range for shape [3, 4]; axes go from -2 to 1 [any.axis]");
  t.error("axis", {in({})}, "axis=[0]",
          "any: axis 0 is out of range: the input has rank 0 and no axes [any.axis]");
  t.error(
      "axis_twice", {in({3, 4})}, "axis=[0, -2]",
      "any: axes [0, -2] name an axis of shape [3, 4] twice; name each axis once [any.axis_twice]");
}
