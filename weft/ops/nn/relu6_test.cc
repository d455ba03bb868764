// Samples of relu6.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(nn__relu6) {
  t.sample({in({3, 4}, 0.1, 5.9)});
  t.sample({in({2, 0}, 0.1, 5.9)});
  t.sample({in({}, 0.1, 5.9)});
  t.sample({in({17}, 0.1, 5.9)});
  t.sample({in({5}, -3, -0.1)});
  t.sample({in({5}, 6.1, 9)});

  t.error("dtype", {typed(in({2}), weft::DType::kC64)}, "",
          "relu6: x has dtype complex64, but must be floating; cast it first [relu6.dtype]");
  t.error("count", {in({2}), in({2})}, "", "relu6: takes 1 input, but got 2 [relu6.count]");
}
