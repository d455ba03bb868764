// Samples of bitwise_xor.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(bitwise_xor) {
  t.sample({in({3, 4}, -100, 100), in({3, 4}, -100, 100)});
  t.sample({in({3, 1}, -100, 100), in({4}, -100, 100)});
  t.sample({in({}, -100, 100), in({2, 3}, -100, 100)});
  t.sample({in({2, 3}, -100, 100), in({}, -100, 100)});
  t.sample({in({0, 3}, -100, 100), in({3}, -100, 100)});
  t.sample({in({}, -100, 100), in({}, -100, 100)});
  t.error("broadcast", {in({3, 4}), in({3})}, "",
          "bitwise_xor: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; sizes "
          "must be equal or 1 [bitwise_xor.broadcast]");
  t.error("dtype", {typed(in({2}), weft::DType::kF32), typed(in({2}), weft::DType::kF32)}, "",
          "bitwise_xor: a has dtype float32, but must be boolean or integer; cast it first "
          "[bitwise_xor.dtype]");
  t.error("promotion", {typed(in({2}), weft::DType::kU64), typed(in({2}), weft::DType::kI64)}, "",
          "bitwise_xor: uint64 and int64 have no common dtype that holds both; cast one of them "
          "[bitwise_xor.promotion]");
  t.error("count", {in({2})}, "", "bitwise_xor: takes 2 inputs, but got 1 [bitwise_xor.count]");
}
