// Samples of cbrt.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(cbrt) {
  t.sample({in({3, 4}, 0.2, 5)});
  t.sample({in({2, 0}, 0.2, 5)});
  t.sample({in({}, 0.2, 5)});
  t.sample({in({17}, 0.2, 5)});
  t.sample({in({5}, -30, -0.1)});

  t.error("dtype", {typed(in({2}), weft::DType::kC64)}, "",
          "cbrt: x has dtype complex64, but must be floating; cast it first [cbrt.dtype]");
  t.error("count", {in({2}), in({2})}, "", "cbrt: takes 1 input, but got 2 [cbrt.count]");
}
