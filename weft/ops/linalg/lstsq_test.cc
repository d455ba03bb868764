// Samples of linalg.lstsq.
#include "weft/ops/linalg/jacobi_reference.h"

using namespace weft::suite;

// Of full rank, by the normal equations in long double.
static Arrays reference(const Attrs&, const Arrays& in) {
  Arrays given = in;
  const bool is_vector = in[1].shape.size() == 1;
  if (is_vector) given[1].shape.push_back(1);
  Arrays out = each_matrix(given, [](const Matrices& m) {
    const Matrix &a = m[0], &b = m[1], h = adjoint(a);
    const Matrix x = a.rows >= a.columns ? solution(h * a, h * b) : h * solution(a * h, b);
    Matrix error = a * x, residuals(b.columns, 1), rank(1, 1);
    for (size_t r = 0; r < b.rows; ++r) {
      for (size_t c = 0; c < b.columns; ++c) residuals(c, 0) += std::norm(error(r, c) - b(r, c));
    }
    rank(0, 0) = std::min(a.rows, a.columns);
    return Matrices{x, residuals, rank, as_column(singular(a.columns > a.rows ? h : a).s)};
  });
  make_values(out[1]);
  make_values(out[3]);
  out[2].shape.resize(out[2].shape.size() - 2);
  out[2].dtype = DType::kI64;
  for (ScalarValue& v : out[2].values) v = {0, 0, static_cast<int64_t>(v.re)};
  if (is_vector) {
    out[0].shape.pop_back();
    out[1].shape.pop_back();
  }
  return out;
}

WEFT_OP_TEST(linalg__lstsq) {
  t.skip("zero", "a matrix with a NaN or an infinity is NaN as a whole, gradient and all");
  t.skip("special", "strewn zeros change the rank; NaN and rank are tested from Python");
  t.skip("symbolic", "the bound depends on the longer side, which is no polynomial of its sizes");
  t.sums_batches_elsewhere("the gradient of a matrix that a batch shares is a product");
  t.sample({regular({4, 2}, 3), in({4, 3})});
  t.sample({regular({3, 2}, 3), in({3})});
  t.sample({regular({2, 3}, 3), in({2, 1})}, "rtol=0.001");
  t.sample({regular({2, 3, 2}, 3), in({2, 3, 1})});
  t.large({regular({64, 9, 6}, 9), in({64, 9, 2})});
  t.reference(reference);
  t.tolerance(32, "sums of products, divided by singular values, then squared");
  t.error("rank", {in({3}), in({3})}, "",
          "lstsq: a matrix needs at least 2 axes, but the input has shape [3] [lstsq.rank]");
  t.error("rows", {in({3, 2}), in({2})}, "",
          "lstsq: a has 3 rows but b has 2; they must be equal [lstsq.rows]");
  t.error("rtol", {in({2, 2}), in({2})}, "rtol=-1",
          "lstsq: rtol is -1.0; it must be at least 0 [lstsq.rtol]");
}
