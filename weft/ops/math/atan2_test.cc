// Samples of atan2.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(atan2) {
  t.sample({in({3, 4}, 0.5, 2), in({3, 4}, -2, 2)});
  t.sample({in({3, 1}, -2, -0.5), in({4}, -2, 2)});
  t.sample({in({}, 0.5, 2), in({2, 3})});
  t.sample({in({}), in({0})});
  t.error("broadcast", {in({3, 4}), in({3})}, "",
          "atan2: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; sizes must be "
          "equal or 1 [atan2.broadcast]");
  t.error("dtype", {typed(in({2}), weft::DType::kC64), typed(in({2}), weft::DType::kC64)}, "",
          "atan2: a has dtype complex64, but must be floating; cast it first [atan2.dtype]");
  t.error("count", {in({2})}, "", "atan2: takes 2 inputs, but got 1 [atan2.count]");
}
