// Samples of prod.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(prod) {
  t.sample({in({3, 4})});
  t.sample({in({3, 4, 5})}, "axis=[1]");
  t.sample({in({3, 4, 3})}, "axis=[0, -1], keepdims=true");
  t.sample({typed(in({2, 200}, 0.9, 1.1), weft::DType::kF64)}, "axis=[1]");
  t.sample({typed(in({100, 3}, 0.9, 1.1), weft::DType::kF64)}, "axis=[0]");
  t.sample({in({3, 4})}, "axis=[]");
  t.sample({in({})});
  // Zeros: none, one and two of them in a row.
  t.sample({exactly({3, 3}, {2, 3, 4, 2, 0, 4, 0, 5, 0})}, "axis=[1]");
  t.sample({in({0, 3})}, "axis=[0]");
  t.sample({in({0, 3})}, "axis=[1]");
  t.error("axis", {in({3, 4})}, "axis=[2]",
          "prod: axis 2 is out of range for shape [3, 4]; axes go from -2 to 1 [prod.axis]");
  t.error("axis", {in({})}, "axis=[0]",
          "prod: axis 0 is out of range: the input has rank 0 and no axes [prod.axis]");
  t.error("axis_twice", {in({3, 4})}, "axis=[0, -2]",
          "prod: axes [0, -2] name an axis of shape [3, 4] twice; name each axis once "
          "[prod.axis_twice]");
}
