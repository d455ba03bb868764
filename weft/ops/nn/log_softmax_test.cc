// Samples of log_softmax.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(log_softmax) {
  t.sample({in({3, 4})});
  t.sample({in({3, 4}, -50, 50)}, "axis=0");
  t.sample({in({2, 3, 70})}, "axis=-1");
  t.sample({in({2, 3, 4})}, "axis=1");
  t.sample({in({5})});
  t.sample({in({0, 3})});
  t.sample({in({3, 0})});
  t.error("axis", {in({3, 4})}, "axis=2",
          "log_softmax: axis 2 is out of range for shape [3, 4]; axes go from -2 to 1 "
          "[log_softmax.axis]");
  t.error(
      "axis", {in({})}, "",
      "log_softmax: axis -1 is out of range: the input has rank 0 and no axes [log_softmax.axis]");
  t.error("dtype", {typed(in({2}), weft::DType::kC64)}, "",
          "log_softmax: x has dtype complex64, but must be floating; cast it first "
          "[log_softmax.dtype]");
  t.error("count", {in({2}), in({2})}, "",
          "log_softmax: takes 1 input, but got 2 [log_softmax.count]");
}

WEFT_OP_TEST(log_softmax__vjp) {
  t.sample({in({3, 4}), in({3, 4}, -3, 0)});
  t.sample({in({2, 3, 4}), in({2, 3, 4}, -3, 0)}, "axis=1");
  t.large({in({300, 301}), in({300, 301}, -3, 0)});
  t.large({in({300, 301}), in({300, 301}, -3, 0)}, "axis=0");
  t.error("axis", {in({3, 4}), in({3, 4})}, "axis=-3",
          "log_softmax.vjp: axis -3 is out of range for shape [3, 4]; axes go from -2 to 1 "
          "[log_softmax.vjp.axis]");
}
