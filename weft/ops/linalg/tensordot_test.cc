// Samples of tensordot.
#include <algorithm>

#include "weft/ops/linalg/number_reference.h"

using namespace weft::suite;

namespace {

using Places = std::vector<int64_t>;

Places axes_of(const Attrs& at, const char* field, const Array& x) {
  Places out;
  for (int64_t axis : at.get<Ints>(field)) {
    out.push_back(normalized(axis, static_cast<int64_t>(x.shape.size())));
  }
  return out;
}

// Of a place: what stays, in order.
Places kept(const Places& place, const Places& axes) {
  Places out;
  for (size_t i = 0; i < place.size(); ++i) {
    const auto axis = static_cast<int64_t>(i);
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) out.push_back(place[i]);
  }
  return out;
}

Arrays reference(const Attrs& at, const Arrays& in) {
  const Array &a = in[0], &b = in[1];
  const Places axes_a = axes_of(at, "axes_a", a), axes_b = axes_of(at, "axes_b", b);
  Places shape = kept(a.shape, axes_a);
  for (int64_t size : kept(b.shape, axes_b)) shape.push_back(size);
  Array out = like(a, shape);
  for (size_t i = 0; i < a.values.size(); ++i) {
    for (size_t j = 0; j < b.values.size(); ++j) {
      const Places p = unravel(static_cast<int64_t>(i), a.shape);
      const Places q = unravel(static_cast<int64_t>(j), b.shape);
      bool meets = true;
      for (size_t k = 0; k < axes_a.size(); ++k) {
        meets &= p[static_cast<size_t>(axes_a[k])] == q[static_cast<size_t>(axes_b[k])];
      }
      if (!meets) continue;
      Places place = kept(p, axes_a);
      for (int64_t at_b : kept(q, axes_b)) place.push_back(at_b);
      ScalarValue& total = out.values[static_cast<size_t>(ravel(place, shape))];
      total = plus(out.dtype, total, times(out.dtype, a.values[i], b.values[j]));
    }
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(tensordot) {
  t.skip("zero", "0 * inf in a sum of products is NaN, in the gradient as in the product");
  t.skip("complex special", "infinities in complex products, which matmul tests");
  t.sums_batches_elsewhere("the gradient of what a batch shares is a product");
  t.sample({in({2, 3, 4}), in({3, 4, 2})}, "axes_a=[1, 2], axes_b=[0, 1]");
  t.sample({in({2, 3, 4}), in({4, 2, 5})}, "axes_a=[-1, 0], axes_b=[0, 1]");
  t.sample({in({2}), in({3})}, "axes_a=[], axes_b=[]");
  t.sample({in({3}), in({3})}, "axes_a=[0], axes_b=[0]");
  t.sample({in({2, 0}), in({0, 3})}, "axes_a=[1], axes_b=[0]");
  t.large({in({20, 30, 40}), in({30, 40, 10})}, "axes_a=[1, 2], axes_b=[0, 1]");
  t.reference(reference);
  t.tolerance(8, "sums of products");
  t.error("count", {in({2, 3}), in({3})}, "axes_a=[0, 1], axes_b=[0]",
          "tensordot: axes_a has 2 axes but axes_b has 1; they must be equal [tensordot.count]");
  t.error("size", {in({2, 3}), in({4})}, "axes_a=[1], axes_b=[0]",
          "tensordot: axis 1 of a has size 3 but axis 0 of b has size 4; they must be equal "
          "[tensordot.size]");
}
