// Samples of erfc.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(erfc) {
  t.sample({in({3, 4}, -3, 3)});
  t.sample({in({2, 0}, -3, 3)});
  t.sample({in({}, -3, 3)});
  t.sample({in({17}, -3, 3)});

  t.error("dtype", {typed(in({2}), weft::DType::kC64)}, "",
          "erfc: x has dtype complex64, but must be floating; cast it first [erfc.dtype]");
  t.error("count", {in({2}), in({2})}, "", "erfc: takes 1 input, but got 2 [erfc.count]");
}
