// Samples of cosine_similarity.
#include <cmath>

#include "tests/op_suite/samples.h"

using namespace weft::suite;

// Of two inputs of one shape, along the last axis.
static Arrays reference(const Attrs&, const Arrays& in) {
  std::vector<int64_t> shape = in[0].shape;
  const size_t length = static_cast<size_t>(shape.back());
  shape.pop_back();
  Array out = like(in[0], shape);
  for (size_t i = 0; i < out.values.size(); ++i) {
    long double dot = 0, a = 0, b = 0;
    for (size_t j = i * length; j < (i + 1) * length; ++j) {
      dot += in[0].values[j].re * in[1].values[j].re;
      a += in[0].values[j].re * in[0].values[j].re;
      b += in[1].values[j].re * in[1].values[j].re;
    }
    out.values[i].re = a == 0 || b == 0 ? 0 : dot / (std::sqrt(a) * std::sqrt(b));
  }
  return {out};
}

WEFT_OP_TEST(nn__cosine_similarity) {
  t.sample({in({3, 4}), in({3, 4})});
  t.sample({in({2, 3, 5}, 1, 2), in({2, 3, 5})}, "axis=2, eps=0.001");
  t.kink({exactly({2, 2}, {0, 0, 1, 2}), in({2, 2})}, "", "at eps the length has a kink");
  t.large({in({300, 301}), in({300, 301})});
  t.reference(reference);
  t.skip("special", "vectors with infinities have no angle");
  t.error("broadcast", {in({3, 4}), in({3})}, "",
          "cosine_similarity: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; "
          "sizes must be equal or 1 [cosine_similarity.broadcast]");
  t.error("axis", {in({3}), in({3})}, "axis=1",
          "cosine_similarity: axis 1 is out of range for shape [3]; axes go from -1 to 0 "
          "[cosine_similarity.axis]");
}
