// Samples of linalg.solve_triangular.
#include "weft/ops/linalg/matrix_reference.h"

using namespace weft::suite;

namespace {

struct How {
  bool upper, adjoint, unit_diagonal;
};

// The triangle that is read, with zeros elsewhere.
Matrix triangle(const Matrix& a, How how) {
  Matrix out(a.rows, a.columns);
  for (size_t r = 0; r < a.rows; ++r) {
    for (size_t c = 0; c < a.columns; ++c) {
      if (how.upper ? r < c : r > c) out(r, c) = a(r, c);
      if (r == c) out(r, c) = how.unit_diagonal ? Complex(1) : a(r, c);
    }
  }
  return out;
}

// By substitution, from the end where the triangle is an upper one.
Matrix substituted(const Matrix& a, const Matrix& b, bool upper) {
  Matrix x = b;
  for (size_t step = 0; step < a.rows; ++step) {
    const size_t r = upper ? a.rows - 1 - step : step;
    for (size_t c = 0; c < b.columns; ++c) {
      for (size_t k = 0; k < a.rows; ++k) {
        if (upper ? k > r : k < r) x(r, c) -= a(r, k) * x(k, c);
      }
      x(r, c) /= a(r, r);
    }
  }
  return x;
}

Matrix solved(const Matrix& a, const Matrix& b, How how) {
  Matrix given = triangle(a, how);
  if (!is_finite(given)) return nan_matrix(b.rows, b.columns);
  if (how.adjoint) given = adjoint(given);
  Matrix x = substituted(given, b, how.upper != how.adjoint);
  for (size_t c = 0; c < b.columns; ++c) {
    bool finite = true;
    for (size_t r = 0; r < b.rows; ++r)
      finite &= std::isfinite(b(r, c).real()) && std::isfinite(b(r, c).imag());
    for (size_t r = 0; r < b.rows && !finite; ++r) x(r, c) = {NAN, NAN};
  }
  return x;
}

Arrays reference(const Attrs& at, const Arrays& in) {
  Arrays given = in;
  const bool is_vector = in[1].shape.size() == 1;
  if (is_vector) given[1].shape.push_back(1);
  const How how{at.get<bool>("upper"), at.get<bool>("adjoint"), at.get<bool>("unit_diagonal")};
  Arrays out =
      each_matrix(given, [&](const Matrices& m) { return Matrices{solved(m[0], m[1], how)}; });
  if (is_vector) out[0].shape.pop_back();
  return out;
}

}  // namespace

WEFT_OP_TEST(linalg__solve_triangular) {
  t.skip("zero", "a matrix with a NaN or an infinity is NaN as a whole, gradient and all");
  t.skip("special", "strewn zeros make singular matrices, which raise; NaN is tested from Python");
  t.sums_batches_elsewhere("the gradient of a matrix that a batch shares is a product");
  t.sample({regular({3, 3}), in({3, 2})});
  t.sample({regular({3, 3}), in({3})});
  t.sample({regular({3, 3}), in({3, 2})}, "upper=true");
  t.sample({regular({3, 3}), in({3, 2})}, "adjoint=true");
  t.sample({regular({3, 3}), in({3, 1})}, "upper=true, adjoint=true");
  t.sample({in({3, 3}, -0.5, 0.5), in({3, 2})}, "unit_diagonal=true");
  t.sample({in({3, 3}, -0.5, 0.5), in({3, 2})}, "upper=true, adjoint=true, unit_diagonal=true");
  t.sample({regular({2, 1, 2, 2}), in({3, 2, 2})});
  t.sample({regular({2, 2, 2}), in({2})});
  t.sample({in({0, 0}), in({0, 2})});
  t.sample({regular({2, 2}), in({2, 0})});
  t.large({regular({50, 12, 12}, 30), in({50, 12, 9})});
  t.reference(reference);
  t.tolerance(8, "sums of products, divided");
  t.error("rank", {in({3}), in({3})}, "",
          "solve_triangular: a matrix needs at least 2 axes, but the input has shape [3] "
          "[solve_triangular.rank]");
  t.error("square", {in({2, 3}), in({3})}, "",
          "solve_triangular: a matrix has 2 rows and 3 columns; they must be equal "
          "[solve_triangular.square]");
  t.error("rows", {in({3, 3}), in({2, 3})}, "",
          "solve_triangular: a has 3 rows but b has 2; they must be equal "
          "[solve_triangular.rows]");
  t.error("broadcast", {in({2, 3, 3}), in({3, 3, 3})}, "",
          "solve_triangular: shapes [2] and [3] do not broadcast: axis -1 has size 2 and 3; sizes "
          "must be equal or 1 [solve_triangular.broadcast]");
  t.error("singular", {exactly({2, 2}, {1, 2, 3, 0}), in({2})}, "",
          "solve_triangular: the matrix is singular: element 1 of its diagonal is 0; all must "
          "differ from 0 [solve_triangular.singular]");
}
