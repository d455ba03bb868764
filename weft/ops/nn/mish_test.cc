// Samples of mish.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(nn__mish) {
  t.sample({in({3, 4}, -6, 6)});
  t.sample({in({2, 0}, -6, 6)});
  t.sample({in({}, -6, 6)});
  t.sample({in({17}, -6, 6)});

  t.error("dtype", {typed(in({2}), weft::DType::kC64)}, "",
          "mish: x has dtype complex64, but must be floating; cast it first [mish.dtype]");
  t.error("count", {in({2}), in({2})}, "", "mish: takes 1 input, but got 2 [mish.count]");
}
