// Samples of cast.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(cast) {
  t.sample({in({3, 4}, -3, 3)}, "dtype=float64");
  t.sample({in({3, 4}, -3, 3)}, "dtype=float32");
  t.sample({in({5}, -100, 100)}, "dtype=int32");
  t.sample({in({5}, -300, 300)}, "dtype=uint8");
  t.sample({in({2, 0})}, "dtype=float16");
  t.sample({in({})}, "dtype=bool");
  t.sample({in({4})}, "dtype=complex128");
  t.sample({in({4})}, "dtype=bfloat16");
  t.error("count", {in({2}), in({2})}, "dtype=float32",
          "cast: takes 1 input, but got 2 [cast.count]");
}
