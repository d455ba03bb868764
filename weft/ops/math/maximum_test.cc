// Samples of maximum.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(maximum) {
  t.sample({in({3, 4}, -3, 3), in({3, 4}, -3, 3)});
  t.sample({distinct({3, 4}), distinct({4}, 2, 4)});
  t.sample({in({}), in({2, 3}, 3, 4)});
  t.sample({in({0, 3}), in({3})});
  t.error("broadcast", {in({3, 4}), in({3})}, "",
          "maximum: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; sizes must "
          "be equal or 1 [maximum.broadcast]");
  t.error("dtype", {typed(in({2}), weft::DType::kC64), typed(in({2}), weft::DType::kC64)}, "",
          "maximum: a has dtype complex64, but must be ordered; cast it first [maximum.dtype]");
  t.error("promotion", {typed(in({2}), weft::DType::kU64), typed(in({2}), weft::DType::kI64)}, "",
          "maximum: uint64 and int64 have no common dtype that holds both; cast one of them "
          "[maximum.promotion]");
  t.error("count", {in({2})}, "", "maximum: takes 2 inputs, but got 1 [maximum.count]");
}
