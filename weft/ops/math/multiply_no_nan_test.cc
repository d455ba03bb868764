// Samples of multiply_no_nan.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(multiply_no_nan) {
  t.sample({in({3, 4}, -3, 3), in({3, 4}, -3, 3)});
  t.sample({in({3, 1}, -3, 3), in({4}, -3, 3)});
  t.sample({in({}, -3, 3), in({2, 3}, -3, 3)});
  t.sample({in({0, 3}, -3, 3), in({3}, -3, 3)});
  t.error("broadcast", {in({3, 4}), in({3})}, "",
          "multiply_no_nan: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; "
          "sizes must be equal or 1 [multiply_no_nan.broadcast]");
  t.error("promotion", {typed(in({2}), weft::DType::kU64), typed(in({2}), weft::DType::kI64)}, "",
          "multiply_no_nan: uint64 and int64 have no common dtype that holds both; cast one of "
          "them [multiply_no_nan.promotion]");
  t.error("count", {in({2})}, "",
          "multiply_no_nan: takes 2 inputs, but got 1 [multiply_no_nan.count]");
}
