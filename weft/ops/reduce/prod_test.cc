// Samples of prod.
#include "weft/ops/reduce/reduce_samples.h"

using namespace weft::suite;

WEFT_OP_TEST(prod) {
  t.skip("complex special", "products of infinities depend on their order");
  t.sample({in({3, 4})});
  t.sample({in({3, 4, 5})}, "axis=[1]");
  t.sample({in({3, 4, 3})}, "axis=[0, -1], keepdims=true");
  t.sample({typed(in({2, 200}, 0.9, 1.1), weft::DType::kF64)}, "axis=[1]");
  t.sample({typed(in({100, 3}, 0.9, 1.1), weft::DType::kF64)}, "axis=[0]");
  t.sample({in({3, 4})}, "axis=[]");
  t.sample({in({})});
  // Zeros: none, one and two of them in a row.
  t.sample({exactly({3, 3}, {2, 3, 4, 2, 0, 4, 0, 5, 0})}, "axis=[1]");
  t.sample({in({0, 3})}, "axis=[0]");
  t.sample({in({0, 3})}, "axis=[1]");
  axis_errors(t);
}
