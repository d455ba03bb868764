// Samples of leaky_relu.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(nn__leaky_relu) {
  t.sample({in({3, 4}, 0.1, 3), in({3, 4}, -1, 1)});
  t.sample({in({3, 1}, 0.1, 3), in({4}, -1, 1)});
  t.sample({in({}, 0.1, 3), in({2, 3}, -1, 1)});
  t.sample({in({0, 3}, 0.1, 3), in({3}, -1, 1)});
  t.sample({in({5}, -3, -0.1), exactly({}, {0.2})});

  t.error("broadcast", {in({3, 4}), in({3})}, "",
          "leaky_relu: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; sizes "
          "must be equal or 1 [leaky_relu.broadcast]");
  t.error(
      "dtype", {typed(in({2}), weft::DType::kC64), typed(in({2}), weft::DType::kC64)}, "",
      "leaky_relu: x has dtype complex64, but must be floating; cast it first [leaky_relu.dtype]");
  t.error("count", {in({2}), in({2}), in({2})}, "",
          "leaky_relu: takes 1 to 2 inputs, but got 3 [leaky_relu.count]");
}
