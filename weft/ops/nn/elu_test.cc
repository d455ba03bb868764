// Samples of elu.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(nn__elu) {
  t.sample({in({3, 4}, -3, -0.1), in({3, 4}, 0.5, 2)});
  t.sample({in({3, 1}, -3, -0.1), in({4}, 0.5, 2)});
  t.sample({in({}, -3, -0.1), in({2, 3}, 0.5, 2)});
  t.sample({in({0, 3}, -3, -0.1), in({3}, 0.5, 2)});
  t.sample({in({5}, 0.1, 3), exactly({}, {1})});

  t.error("broadcast", {in({3, 4}), in({3})}, "",
          "elu: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; sizes must be "
          "equal or 1 [elu.broadcast]");
  t.error("dtype", {typed(in({2}), weft::DType::kC64), typed(in({2}), weft::DType::kC64)}, "",
          "elu: x has dtype complex64, but must be floating; cast it first [elu.dtype]");
  t.error("count", {in({2}), in({2}), in({2})}, "",
          "elu: takes 1 to 2 inputs, but got 3 [elu.count]");
}
