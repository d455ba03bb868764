// Samples of sigmoid.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(sigmoid) {
  t.sample({in({3, 4}, -5, 5)});
  t.sample({in({2, 0}, -5, 5)});
  t.sample({in({}, -5, 5)});
  t.sample({in({17}, -5, 5)});
  t.error("dtype", {typed(in({2}), weft::DType::kC64)}, "",
          "sigmoid: x has dtype complex64, but must be floating; cast it first [sigmoid.dtype]");
  t.error("count", {in({2}), in({2})}, "", "sigmoid: takes 1 input, but got 2 [sigmoid.count]");
}
