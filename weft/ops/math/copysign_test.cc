// Samples of copysign.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(copysign) {
  t.sample({in({3, 4}, 0.3, 2), in({3, 4}, -2, -0.3)});
  t.sample({in({3, 1}, 0.3, 2), in({4}, -2, -0.3)});
  t.sample({in({}, 0.3, 2), in({2, 3}, -2, -0.3)});
  t.sample({in({0, 3}, 0.3, 2), in({3}, -2, -0.3)});
  t.sample({in({5}, -3, -0.1), in({5}, 0.1, 2)});

  t.error("broadcast", {in({3, 4}), in({3})}, "",
          "copysign: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; sizes must "
          "be equal or 1 [copysign.broadcast]");
  t.error("dtype", {typed(in({2}), weft::DType::kC64), typed(in({2}), weft::DType::kC64)}, "",
          "copysign: a has dtype complex64, but must be floating; cast it first [copysign.dtype]");
  t.error("count", {in({2})}, "", "copysign: takes 2 inputs, but got 1 [copysign.count]");
}
