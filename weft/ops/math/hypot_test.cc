// Samples of hypot.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(hypot) {
  t.sample({in({3, 4}, 0.3, 2), in({3, 4}, -2, 2)});
  t.sample({in({3, 1}, 0.3, 2), in({4}, -2, 2)});
  t.sample({in({}, 0.3, 2), in({2, 3}, -2, 2)});
  t.sample({in({0, 3}, 0.3, 2), in({3}, -2, 2)});

  t.error("broadcast", {in({3, 4}), in({3})}, "",
          "hypot: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; sizes must be "
          "equal or 1 [hypot.broadcast]");
  t.error("dtype", {typed(in({2}), weft::DType::kC64), typed(in({2}), weft::DType::kC64)}, "",
          "hypot: a has dtype complex64, but must be floating; cast it first [hypot.dtype]");
  t.error("count", {in({2})}, "", "hypot: takes 2 inputs, but got 1 [hypot.count]");
}
