// Samples of var.
#include "weft/ops/reduce/reduce_reference.h"
#include "weft/ops/reduce/reduce_samples.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  return reduce_reference(at, in[0], real_of(in[0].dtype), [&](const Row& row) {
    const long double variance = variance_of(row, at.get<double>("correction"));
    return ScalarValue{variance, 0, 0};
  });
}

WEFT_OP_TEST(var) {
  variance_tests(t);
  t.reference(reference);
}
