// Samples of clip.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(clip) {
  t.sample({distinct({3, 4}, -1, 1), in({3, 4}, -3, -2), in({3, 4}, 2, 3)});
  t.sample({distinct({3, 4}, -3, 3), exactly({}, {-1.1}), exactly({}, {1.1})});
  t.sample({distinct({3, 4}, -3, 3), in({4}, -1.1, -1), in({3, 1}, 1, 1.1)});
  t.sample({distinct({5}, -3, 3), exactly({}, {1.1}), exactly({}, {-1.1})});
  t.sample({in({0, 3}), in({3}), in({})});
  t.error("broadcast", {in({3}), in({3, 4}), in({4})}, "",
          "clip: shapes [3] and [3, 4] do not broadcast: axis -1 has size 3 and 4; sizes must be "
          "equal or 1 [clip.broadcast]");
  t.error("dtype",
          {typed(in({2}), weft::DType::kC64), typed(in({2}), weft::DType::kC64),
           typed(in({2}), weft::DType::kC64)},
          "", "clip: x has dtype complex64, but must be real; cast it first [clip.dtype]");
  t.error("promotion",
          {typed(in({2}), weft::DType::kU64), typed(in({2}), weft::DType::kI64),
           typed(in({2}), weft::DType::kI64)},
          "",
          "clip: uint64 and int64 have no common dtype that holds both; cast one of them "
          "[clip.promotion]");
  t.error("count", {in({2}), in({2}), in({2}), in({2})}, "",
          "clip: takes 1 to 3 inputs, but got 4 [clip.count]");
}
