// Samples of cross.
#include "weft/ops/linalg/number_reference.h"

using namespace weft::suite;

// Of inputs that have one shape, or of which the second is a vector along the last axis.
static Arrays reference(const Attrs& at, const Arrays& in) {
  const Array &a = in[0], &b = in[1];
  const auto axis = static_cast<size_t>(
      normalized(at.get<int64_t>("axis"), static_cast<int64_t>(a.shape.size())));
  Array out = like(a, a.shape);
  for (size_t i = 0; i < out.values.size(); ++i) {
    std::vector<int64_t> place = unravel(static_cast<int64_t>(i), a.shape);
    const int64_t k = place[axis];
    const auto of = [&](const Array& x, int64_t by) {
      place[axis] = (k + by) % 3;
      const bool whole = x.shape.size() == a.shape.size();
      return x.values[static_cast<size_t>(whole ? ravel(place, x.shape) : place[axis])];
    };
    out.values[i] = minus(out.dtype, times(out.dtype, of(a, 1), of(b, 2)),
                          times(out.dtype, of(a, 2), of(b, 1)));
  }
  return {out};
}

WEFT_OP_TEST(cross) {
  t.skip("complex special", "infinities in complex products, which multiply tests");
  t.skip("zero", "a take of nothing that meets an infinity is 0 * inf, as in multiply");
  t.sample({in({3}), in({3})});
  t.sample({in({2, 3}), in({2, 3})});
  t.sample({in({3, 2}), in({3, 2})}, "axis=0");
  t.sample({in({2, 3}), in({3})});
  t.sample({in({0, 3}), in({0, 3})});
  t.large({in({4000, 3}), in({4000, 3})});
  t.reference(reference);
  t.tolerance(4, "a difference of products");
  t.error("size", {in({2}), in({2})}, "",
          "cross: axis -1 has size 2 in shape [2]; vectors have 3 elements [cross.size]");
}
