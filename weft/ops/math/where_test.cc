// Samples of where.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(where) {
  t.sample({in({3, 4}), in({3, 4}), in({3, 4})});
  t.sample({in({3, 1}), in({4}), in({})});
  t.sample({in({}), in({2, 3}), in({3})});
  t.sample({in({0, 3}), in({3}), in({3})});
  t.error("broadcast", {in({3}), in({3, 4}), in({4})}, "",
          "where: shapes [3] and [3, 4] do not broadcast: axis -1 has size 3 and 4; sizes must be "
          "equal or 1 [where.broadcast]");
  t.error("broadcast", {in({4}), in({3, 4}), in({2, 4})}, "",
          "where: shapes [3, 4] and [2, 4] do not broadcast: axis -2 has size 3 and 2; sizes must "
          "be equal or 1 [where.broadcast]");
  t.error("dtype", {typed(in({2}), weft::DType::kF32), in({2}), in({2})}, "",
          "where: condition has dtype float32, but must be boolean; cast it first [where.dtype]");
  t.error("promotion",
          {typed(in({2}), weft::DType::kBool), typed(in({2}), weft::DType::kU64),
           typed(in({2}), weft::DType::kI64)},
          "",
          "where: uint64 and int64 have no common dtype that holds both; cast one of them "
          "[where.promotion]");
  t.error("count", {in({2}), in({2})}, "", "where: takes 3 inputs, but got 2 [where.count]");
}
