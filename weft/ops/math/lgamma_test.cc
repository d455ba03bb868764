// Samples of lgamma.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(lgamma) {
  t.sample({in({3, 4}, 0.3, 9)});
  t.sample({in({2, 0}, 0.3, 9)});
  t.sample({in({}, 0.3, 9)});
  t.sample({in({17}, 0.3, 9)});
  t.sample({exactly({4}, {-0.3, -1.6, -2.4, -7.7})});

  t.error("dtype", {typed(in({2}), weft::DType::kC64)}, "",
          "lgamma: x has dtype complex64, but must be floating; cast it first [lgamma.dtype]");
  t.error("count", {in({2}), in({2})}, "", "lgamma: takes 1 input, but got 2 [lgamma.count]");
}
