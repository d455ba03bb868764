// Samples of ones.
#include "weft/ops/creation/fill_reference.h"

using namespace weft::suite;

WEFT_OP_TEST(ones) {
  t.sample({}, "shape=[2, 3]");
  t.sample({}, "shape=[]");
  t.sample({}, "shape=[0, 3], dtype=int8");
  for (const char* dtype :
       {"bool", "uint8", "int64", "float16", "bfloat16", "float64", "complex64"}) {
    t.sample({}, std::string("shape=[3], dtype=") + dtype);
  }
  t.large({}, "shape=[300, 301]");
  t.reference([](const Attrs& at, const Arrays&) -> Arrays {
    return {filled(at.get<DType>("dtype"), at.get<weft::Shape>("shape"), 1)};
  });
  t.error("negative", {}, "shape=[2, -1]",
          "ones: shape [2, -1] has a negative size; sizes are at least 0 [ones.negative]");
}
