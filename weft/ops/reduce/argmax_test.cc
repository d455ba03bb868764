// Samples of argmax.
#include <cmath>

#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(argmax) {
  t.sample({in({3, 4})});
  t.sample({in({3, 4})}, "keepdims=true");
  t.sample({in({3, 4, 5})}, "axis=1");
  t.sample({in({3, 4, 5})}, "axis=-3, keepdims=true");
  t.sample({in({2, 700})}, "axis=1");
  t.sample({in({300, 3})}, "axis=0");
  t.sample({in({})});
  // Ties, and NaN before all else.
  t.sample({exactly({3, 4}, {1, 2, 2, 1, 0, 0, 0, 0, -1, -2, -2, -1})}, "axis=1");
  t.sample({exactly({2, 3}, {1, NAN, NAN, INFINITY, -INFINITY, NAN}, weft::DType::kF32)}, "axis=1");
  t.sample({exactly({2, 3}, {-INFINITY, -INFINITY, -INFINITY, INFINITY, INFINITY, INFINITY},
                    weft::DType::kF64)},
           "axis=1");
  t.sample({in({0, 3})}, "axis=1");
  t.error(
      "empty", {in({3, 0})}, "axis=1",
      "argmax: axis 1 of shape [3, 0] has no elements, and none of nothing can be chosen; reduce "
      "axes of size 1 or more [argmax.empty]");
  t.error("axis", {in({3, 4})}, "axis=2",
          "argmax: axis 2 is out of range for shape [3, 4]; axes go from -2 to 1 [argmax.axis]");
  t.error("dtype", {typed(in({2}), weft::DType::kC64)}, "",
          "argmax: x has dtype complex64, but must be ordered; cast it first [argmax.dtype]");
}
