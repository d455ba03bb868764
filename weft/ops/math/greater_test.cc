// Samples of greater.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(greater) {
  t.sample({in({3, 4}, -2, 2), in({3, 4}, -2, 2)});
  t.sample({in({3, 1}, -2, 2), in({4}, -2, 2)});
  t.sample({in({}, -2, 2), in({2, 3}, -2, 2)});
  t.sample({in({2, 3}, -2, 2), in({}, -2, 2)});
  t.sample({in({0, 3}, -2, 2), in({3}, -2, 2)});
  t.sample({in({}, -2, 2), in({}, -2, 2)});
  t.error("broadcast", {in({3, 4}), in({3})}, "",
          "greater: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; sizes must "
          "be equal or 1 [greater.broadcast]");
  t.error("dtype", {typed(in({2}), weft::DType::kC64), typed(in({2}), weft::DType::kC64)}, "",
          "greater: a has dtype complex64, but must be ordered; cast it first [greater.dtype]");
  t.error("promotion", {typed(in({2}), weft::DType::kU64), typed(in({2}), weft::DType::kI64)}, "",
          "greater: uint64 and int64 have no common dtype that holds both; cast one of them "
          "[greater.promotion]");
  t.error("count", {in({2})}, "", "greater: takes 2 inputs, but got 1 [greater.count]");
}
