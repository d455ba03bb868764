// Samples of vecdot.
#include "weft/ops/linalg/number_reference.h"

using namespace weft::suite;

// Of inputs that have one shape, or of which the second is a vector.
static Arrays reference(const Attrs& at, const Arrays& in) {
  const Array &a = in[0], &b = in[1];
  const auto axis = static_cast<size_t>(
      normalized(at.get<int64_t>("axis"), static_cast<int64_t>(a.shape.size())));
  std::vector<int64_t> shape = a.shape;
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  Array out = like(a, shape);
  for (size_t i = 0; i < a.values.size(); ++i) {
    std::vector<int64_t> place = unravel(static_cast<int64_t>(i), a.shape);
    const size_t other = b.shape.size() == a.shape.size() ? i : static_cast<size_t>(place[axis]);
    place.erase(place.begin() + static_cast<std::ptrdiff_t>(axis));
    ScalarValue& total = out.values[static_cast<size_t>(ravel(place, shape))];
    ScalarValue x = a.values[i];
    x.im = -x.im;
    total = plus(out.dtype, total, times(out.dtype, x, b.values[other]));
  }
  return {out};
}

WEFT_OP_TEST(vecdot) {
  t.skip("zero", "0 * inf in a sum of products is NaN, in the gradient as in the product");
  t.skip("complex special", "infinities in complex products, which matmul tests");
  t.sums_batches_elsewhere("the gradient of a vector that a batch shares is a product");
  t.sample({in({4}), in({4})});
  t.sample({in({2, 3}), in({2, 3})});
  t.sample({in({3, 2, 2}), in({3, 2, 2})}, "axis=-3");
  t.sample({in({2, 3}), in({3})});
  t.sample({in({2, 0}), in({2, 0})});
  t.large({in({300, 200}), in({300, 200})});
  t.reference(reference);
  t.tolerance(4, "sums of products");
  t.error("size", {in({2, 3}), in({2})}, "",
          "vecdot: vectors of 3 and of 2 elements; they must be equal [vecdot.size]");
  t.error("axis", {in({3}), in({3})}, "axis=1",
          "vecdot: axis 1 is out of range for shape [3]; axes go from -1 to 0 [vecdot.axis]");
}
