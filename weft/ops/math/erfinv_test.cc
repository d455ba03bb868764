// Samples of erfinv.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(erfinv) {
  t.sample({in({3, 4}, -0.95, 0.95)});
  t.sample({in({2, 0}, -0.95, 0.95)});
  t.sample({in({}, -0.95, 0.95)});
  t.sample({in({17}, -0.95, 0.95)});

  t.error("dtype", {typed(in({2}), weft::DType::kC64)}, "",
          "erfinv: x has dtype complex64, but must be floating; cast it first [erfinv.dtype]");
  t.error("count", {in({2}), in({2})}, "", "erfinv: takes 1 input, but got 2 [erfinv.count]");
}
