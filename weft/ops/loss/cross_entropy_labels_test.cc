// Samples of cross_entropy.labels.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(nn__cross_entropy__labels) {
  t.varies(0, Vary::kPlaces);  // other numbers would be out of range
  t.sample({indices({3}, {0, 3, 1})}, "classes=4");
  t.sample({indices({2, 1}, {0, 1})}, "classes=2");
  t.sample({exactly({0}, {}, weft::DType::kI64)}, "classes=0");
  t.large({typed(in({300, 301}, 0, 300), weft::DType::kI64)}, "classes=301");
  t.reference([](const Attrs&, const Arrays& in) { return Arrays{in[0]}; });
  t.error(
      "range", {indices({2, 2}, {0, 1, 2, 0})}, "classes=2",
      "cross_entropy.labels: target 2 at position [1, 0] is out of range; classes go from 0 to 1 "
      "[cross_entropy.labels.range]");
}
