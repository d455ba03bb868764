// Samples of std.
#include "weft/ops/reduce/reduce_reference.h"
#include "weft/ops/reduce/reduce_samples.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  return reduce_reference(at, in[0], real_of(in[0].dtype), [&](const Row& row) {
    const long double variance = variance_of(row, at.get<double>("correction"));
    return ScalarValue{std::sqrt(variance), 0, 0};
  });
}

WEFT_OP_TEST(std) {
  variance_tests(t);
  for (Sample& sample : t.samples) {
    const bool alone = sample.attrs == "axis=[]" || sample.inputs[0].shape.empty();
    if (alone) sample.kink = "a deviation of 0 has no derivative";
  }
  t.reference(reference);
}
