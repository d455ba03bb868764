// Samples of selu.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(nn__selu) {
  t.sample({in({3, 4}, -4, -0.1)});
  t.sample({in({2, 0}, -4, -0.1)});
  t.sample({in({}, -4, -0.1)});
  t.sample({in({17}, -4, -0.1)});
  t.sample({in({5}, 0.1, 3)});

  t.error("dtype", {typed(in({2}), weft::DType::kC64)}, "",
          "selu: x has dtype complex64, but must be floating; cast it first [selu.dtype]");
  t.error("count", {in({2}), in({2})}, "", "selu: takes 1 input, but got 2 [selu.count]");
}
