// Samples of xlog1py.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(xlog1py) {
  t.sample({in({3, 4}, -2, 2), in({3, 4}, -0.5, 2)});
  t.sample({in({3, 1}, -2, 2), in({4}, -0.5, 2)});
  t.sample({in({}, -2, 2), in({2, 3}, -0.5, 2)});
  t.sample({in({0, 3}, -2, 2), in({3}, -0.5, 2)});

  t.error("broadcast", {in({3, 4}), in({3})}, "",
          "xlog1py: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; sizes must "
          "be equal or 1 [xlog1py.broadcast]");
  t.error("dtype", {typed(in({2}), weft::DType::kC64), typed(in({2}), weft::DType::kC64)}, "",
          "xlog1py: a has dtype complex64, but must be floating; cast it first [xlog1py.dtype]");
  t.error("count", {in({2})}, "", "xlog1py: takes 2 inputs, but got 1 [xlog1py.count]");
}
