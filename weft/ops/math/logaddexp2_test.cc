// Samples of logaddexp2.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(logaddexp2) {
  t.sample({in({3, 4}, -2, 2), in({3, 4}, -2, 2)});
  t.sample({in({3, 1}, -2, 2), in({4}, -2, 2)});
  t.sample({in({}, -2, 2), in({2, 3}, -2, 2)});
  t.sample({in({0, 3}, -2, 2), in({3}, -2, 2)});
  t.sample({in({3, 4}, -50, 50), in({4}, -50, 50)});

  t.error("broadcast", {in({3, 4}), in({3})}, "",
          "logaddexp2: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; sizes "
          "must be equal or 1 [logaddexp2.broadcast]");
  t.error(
      "dtype", {typed(in({2}), weft::DType::kC64), typed(in({2}), weft::DType::kC64)}, "",
      "logaddexp2: a has dtype complex64, but must be floating; cast it first [logaddexp2.dtype]");
  t.error("count", {in({2})}, "", "logaddexp2: takes 2 inputs, but got 1 [logaddexp2.count]");
}
