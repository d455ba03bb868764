// Samples of logit.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(logit) {
  t.sample({in({3, 4}, 0.05, 0.95)});
  t.sample({in({2, 0}, 0.05, 0.95)});
  t.sample({in({}, 0.05, 0.95)});
  t.sample({in({17}, 0.05, 0.95)});

  t.error("dtype", {typed(in({2}), weft::DType::kC64)}, "",
          "logit: x has dtype complex64, but must be floating; cast it first [logit.dtype]");
  t.error("count", {in({2}), in({2})}, "", "logit: takes 1 input, but got 2 [logit.count]");
}
