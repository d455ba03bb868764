// Samples of kron.
#include "weft/ops/linalg/number_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs&, const Arrays& in) {
  Array a = in[0], b = in[1];
  while (a.shape.size() < b.shape.size()) a.shape.insert(a.shape.begin(), 1);
  while (b.shape.size() < a.shape.size()) b.shape.insert(b.shape.begin(), 1);
  std::vector<int64_t> shape;
  for (size_t d = 0; d < a.shape.size(); ++d) shape.push_back(a.shape[d] * b.shape[d]);
  Array out = like(in[0], shape);
  for (size_t i = 0; i < out.values.size(); ++i) {
    const std::vector<int64_t> place = unravel(static_cast<int64_t>(i), shape);
    std::vector<int64_t> in_a, in_b;
    for (size_t d = 0; d < place.size(); ++d) {
      in_a.push_back(place[d] / b.shape[d]);
      in_b.push_back(place[d] % b.shape[d]);
    }
    out.values[i] = times(out.dtype, a.values[static_cast<size_t>(ravel(in_a, a.shape))],
                          b.values[static_cast<size_t>(ravel(in_b, b.shape))]);
  }
  return {out};
}

WEFT_OP_TEST(kron) {
  t.skip("complex special", "infinities in complex products, which multiply tests");
  t.sample({in({2, 3}), in({3, 2})});
  t.sample({in({3}), in({2, 2})});
  t.sample({in({2, 1, 2}), in({2})});
  t.sample({in({}), in({2})});
  t.sample({in({0, 2}), in({2, 2})});
  t.large({in({20, 30}), in({15, 12})});
  t.reference(reference);
  t.error("rank", {in({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}), in({2})}, "",
          "kron: a has shape [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] and b has shape "
          "[2]; at most 16 axes are multiplied [kron.rank]");
}
