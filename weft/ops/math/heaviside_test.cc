// Samples of heaviside.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(heaviside) {
  t.sample({in({3, 4}, 0.3, 2), in({3, 4}, -2, 2)});
  t.sample({in({3, 1}, 0.3, 2), in({4}, -2, 2)});
  t.sample({in({}, 0.3, 2), in({2, 3}, -2, 2)});
  t.sample({in({0, 3}, 0.3, 2), in({3}, -2, 2)});
  t.sample({in({5}, -2, -0.1), in({5})});
  t.kink({exactly({3}, {0, -0.0, 1}), in({3})}, "", "it jumps at 0");

  t.error("broadcast", {in({3, 4}), in({3})}, "",
          "heaviside: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; sizes must "
          "be equal or 1 [heaviside.broadcast]");
  t.error(
      "dtype", {typed(in({2}), weft::DType::kC64), typed(in({2}), weft::DType::kC64)}, "",
      "heaviside: x has dtype complex64, but must be floating; cast it first [heaviside.dtype]");
  t.error("count", {in({2})}, "", "heaviside: takes 2 inputs, but got 1 [heaviside.count]");
}
