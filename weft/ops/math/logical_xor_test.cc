// Samples of logical_xor.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(logical_xor) {
  t.sample({in({3, 4}, -2, 2), in({3, 4}, -2, 2)});
  t.sample({in({3, 1}, -2, 2), in({4}, -2, 2)});
  t.sample({in({}, -2, 2), in({2, 3}, -2, 2)});
  t.sample({in({2, 3}, -2, 2), in({}, -2, 2)});
  t.sample({in({0, 3}, -2, 2), in({3}, -2, 2)});
  t.sample({in({}, -2, 2), in({}, -2, 2)});
  t.error("broadcast", {in({3, 4}), in({3})}, "",
          "logical_xor: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; sizes "
          "must be equal or 1 [logical_xor.broadcast]");
  t.error("promotion", {typed(in({2}), weft::DType::kU64), typed(in({2}), weft::DType::kI64)}, "",
          "logical_xor: uint64 and int64 have no common dtype that holds both; cast one of them "
          "[logical_xor.promotion]");
  t.error("count", {in({2})}, "", "logical_xor: takes 2 inputs, but got 1 [logical_xor.count]");
}
