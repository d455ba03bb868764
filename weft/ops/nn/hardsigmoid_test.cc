// Samples of hardsigmoid.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(nn__hardsigmoid) {
  t.sample({in({3, 4}, -2.9, 2.9)});
  t.sample({in({2, 0}, -2.9, 2.9)});
  t.sample({in({}, -2.9, 2.9)});
  t.sample({in({17}, -2.9, 2.9)});
  t.sample({in({5}, -6, -3.1)});
  t.sample({in({5}, 3.1, 6)});

  t.error("dtype", {typed(in({2}), weft::DType::kC64)}, "",
          "hardsigmoid: x has dtype complex64, but must be floating; cast it first "
          "[hardsigmoid.dtype]");
  t.error("count", {in({2}), in({2})}, "",
          "hardsigmoid: takes 1 input, but got 2 [hardsigmoid.count]");
}
