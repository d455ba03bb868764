// Samples of bitwise_invert.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(bitwise_invert) {
  t.sample({in({3, 4}, -100, 100)});
  t.sample({in({2, 0}, -100, 100)});
  t.sample({in({}, -100, 100)});
  t.sample({in({17}, -100, 100)});
  t.error("dtype", {typed(in({2}), weft::DType::kF32)}, "",
          "bitwise_invert: x has dtype float32, but must be boolean or integer; cast it first "
          "[bitwise_invert.dtype]");
  t.error("count", {in({2}), in({2})}, "",
          "bitwise_invert: takes 1 input, but got 2 [bitwise_invert.count]");
}
