// Samples of digamma.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(digamma) {
  t.sample({in({3, 4}, 0.3, 9)});
  t.sample({in({2, 0}, 0.3, 9)});
  t.sample({in({}, 0.3, 9)});
  t.sample({in({17}, 0.3, 9)});
  t.sample({exactly({4}, {-0.3, -1.6, -2.4, -7.7})});

  t.error("dtype", {typed(in({2}), weft::DType::kC64)}, "",
          "digamma: x has dtype complex64, but must be floating; cast it first [digamma.dtype]");
  t.error("count", {in({2}), in({2})}, "", "digamma: takes 1 input, but got 2 [digamma.count]");
}
