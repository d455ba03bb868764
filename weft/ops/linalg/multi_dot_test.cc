// Samples of linalg.multi_dot.
#include "weft/ops/linalg/matrix_reference.h"

using namespace weft::suite;

namespace {

// From the left, on lists of numbers; complex products as they are.
Arrays reference(const Attrs&, const Arrays& in) {
  Array out = in[0];
  const bool is_row = out.shape.size() == 1;
  if (is_row) out.shape.insert(out.shape.begin(), 1);
  for (size_t f = 1; f < in.size(); ++f) {
    const bool is_column = in[f].shape.size() == 1;
    const auto rows = static_cast<size_t>(out.shape[0]), inner = static_cast<size_t>(out.shape[1]);
    const auto columns = static_cast<size_t>(is_column ? 1 : in[f].shape[1]);
    Array next = like(out, {out.shape[0], static_cast<int64_t>(columns)});
    for (size_t i = 0; i < rows * columns; ++i) {
      for (size_t k = 0; k < inner; ++k) {
        const ScalarValue &a = out.values[i / columns * inner + k],
                          &b = in[f].values[k * columns + i % columns];
        next.values[i].re += a.re * b.re - a.im * b.im;
        next.values[i].im += a.re * b.im + a.im * b.re;
        next.values[i].i += a.i * b.i;
      }
    }
    out = next;
    if (is_column) out.shape.pop_back();
  }
  if (is_row) out.shape.erase(out.shape.begin());
  return {out};
}

}  // namespace

WEFT_OP_TEST(linalg__multi_dot) {
  t.skip("special", "which products of infinities are NaN depends on the order");
  t.skip("zero", "0 * inf in a sum of products is NaN, in the gradient as in the product");
  t.sums_batches_elsewhere("the gradient of a matrix that a batch shares is one sum over it");
  t.sample({in({2, 3}, -1, 1), in({3, 4}, -1, 1)});
  t.sample({in({2, 5}, -1, 1), in({5, 1}, -1, 1), in({1, 3}, -1, 1)});
  t.sample({in({3}, -1, 1), in({3, 2}, -1, 1), in({2, 2}, -1, 1), in({2}, -1, 1)});
  t.sample({in({3}, -1, 1), in({3}, -1, 1)});
  t.sample({in({2, 0}), in({0, 3})});
  t.large({in({100, 90}, -1, 1), in({90, 80}, -1, 1), in({80, 70}, -1, 1)});
  t.reference(reference);
  t.tolerance(8, "half floats are rounded after every product");
  t.error("factors", {in({2, 3})}, "",
          "multi_dot: there are 1 factors; there must be from 2 to 256 [multi_dot.factors]");
  t.error("rank", {in({2, 3}), in({3}), in({3, 2})}, "",
          "multi_dot: factor 1 has shape [3]; factors are matrices, the first and the last may be "
          "vectors [multi_dot.rank]");
  t.error("inner", {in({2, 3}), in({4, 2})}, "",
          "multi_dot: factors 0 and 1 have shapes [2, 3] and [4, 2]; the last axis of one must "
          "have the size of the first axis of the next [multi_dot.inner]");
}
