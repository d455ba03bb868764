// Samples of fmax.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(fmax) {
  t.sample({in({3, 4}, -2, -0.1), in({3, 4}, 0.1, 2)});
  t.sample({in({3, 1}, -2, -0.1), in({4}, 0.1, 2)});
  t.sample({in({}, -2, -0.1), in({2, 3}, 0.1, 2)});
  t.sample({in({0, 3}, -2, -0.1), in({3}, 0.1, 2)});
  t.sample({distinct({5}, -3, 3), exactly({}, {0.05})});

  t.error("broadcast", {in({3, 4}), in({3})}, "",
          "fmax: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; sizes must be "
          "equal or 1 [fmax.broadcast]");
  t.error("dtype", {typed(in({2}), weft::DType::kC64), typed(in({2}), weft::DType::kC64)}, "",
          "fmax: a has dtype complex64, but must be real; cast it first [fmax.dtype]");
  t.error("count", {in({2})}, "", "fmax: takes 2 inputs, but got 1 [fmax.count]");
}
