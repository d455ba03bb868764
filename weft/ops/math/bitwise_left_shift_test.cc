// Samples of bitwise_left_shift.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(bitwise_left_shift) {
  t.sample({in({3, 4}, -100, 100), in({3, 4}, 0, 7)});
  t.sample({in({3, 1}, -100, 100), in({4}, 0, 7)});
  t.sample({in({2, 3}, -100, 100), in({}, 0, 7)});
  t.sample({exactly({6}, {-5, -1, 0, 1, 5, 100}), exactly({6, 1}, {-1, 0, 7, 8, 63, 64})});
  t.error("broadcast", {in({3, 4}), in({3})}, "",
          "bitwise_left_shift: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; "
          "sizes must be equal or 1 [bitwise_left_shift.broadcast]");
  t.error("dtype", {typed(in({2}), weft::DType::kF32), typed(in({2}), weft::DType::kF32)}, "",
          "bitwise_left_shift: a has dtype float32, but must be integer; cast it first "
          "[bitwise_left_shift.dtype]");
  t.error("promotion", {typed(in({2}), weft::DType::kU64), typed(in({2}), weft::DType::kI64)}, "",
          "bitwise_left_shift: uint64 and int64 have no common dtype that holds both; cast one of "
          "them [bitwise_left_shift.promotion]");
  t.error("count", {in({2})}, "",
          "bitwise_left_shift: takes 2 inputs, but got 1 [bitwise_left_shift.count]");
}
