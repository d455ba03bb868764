// Samples of outer.
#include "weft/ops/linalg/number_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs&, const Arrays& in) {
  Array out = like(in[0], {in[0].shape[0], in[1].shape[0]});
  for (size_t i = 0; i < out.values.size(); ++i) {
    const size_t columns = in[1].values.size();
    out.values[i] = times(out.dtype, in[0].values[i / columns], in[1].values[i % columns]);
  }
  return {out};
}

WEFT_OP_TEST(outer) {
  t.skip("complex special", "infinities in complex products, which multiply tests");
  t.sample({in({3}), in({4})});
  t.sample({in({1}), in({0})});
  t.large({in({400}), in({300})});
  t.reference(reference);
  t.error("rank", {in({3}), in({2, 2})}, "",
          "outer: b has shape [2, 2]; both must have one axis [outer.rank]");
}
