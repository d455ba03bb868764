// Samples of relu.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(relu) {
  t.sample({in({3, 4}, 0.1, 3)});
  t.sample({in({5}, -3, -0.1)});
  t.sample({in({}, 0.1, 3)});
  t.sample({in({0, 3})});
  t.error("dtype", {typed(in({2}), weft::DType::kC64)}, "",
          "relu: x has dtype complex64, but must be real; cast it first [relu.dtype]");
  t.error("count", {in({2}), in({2})}, "", "relu: takes 1 input, but got 2 [relu.count]");
}
