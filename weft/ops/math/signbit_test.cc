// Samples of signbit.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(signbit) {
  t.sample({in({3, 4}, -2, 2)});
  t.sample({in({2, 0}, -2, 2)});
  t.sample({in({}, -2, 2)});
  t.sample({in({17}, -2, 2)});

  t.error("dtype", {typed(in({2}), weft::DType::kC64)}, "",
          "signbit: x has dtype complex64, but must be floating; cast it first [signbit.dtype]");
  t.error("count", {in({2}), in({2})}, "", "signbit: takes 1 input, but got 2 [signbit.count]");
}
