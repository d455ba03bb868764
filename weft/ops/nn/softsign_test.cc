// Samples of softsign.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(nn__softsign) {
  t.sample({in({3, 4}, 0.1, 6)});
  t.sample({in({2, 0}, 0.1, 6)});
  t.sample({in({}, 0.1, 6)});
  t.sample({in({17}, 0.1, 6)});
  t.sample({in({5}, -6, -0.1)});

  t.error("dtype", {typed(in({2}), weft::DType::kC64)}, "",
          "softsign: x has dtype complex64, but must be floating; cast it first [softsign.dtype]");
  t.error("count", {in({2}), in({2})}, "", "softsign: takes 1 input, but got 2 [softsign.count]");
}
