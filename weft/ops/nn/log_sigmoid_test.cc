// Samples of log_sigmoid.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(nn__log_sigmoid) {
  t.sample({in({3, 4}, -40, 40)});
  t.sample({in({2, 0}, -40, 40)});
  t.sample({in({}, -40, 40)});
  t.sample({in({17}, -40, 40)});

  t.error("dtype", {typed(in({2}), weft::DType::kC64)}, "",
          "log_sigmoid: x has dtype complex64, but must be floating; cast it first "
          "[log_sigmoid.dtype]");
  t.error("count", {in({2}), in({2})}, "",
          "log_sigmoid: takes 1 input, but got 2 [log_sigmoid.count]");
}
