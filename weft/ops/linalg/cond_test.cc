// Samples of linalg.cond.
#include "weft/ops/linalg/jacobi_reference.h"

using namespace weft::suite;

namespace {

// A norm of a matrix, as matrix_norm names them.
long double norm_of(const Matrix& a, const std::string& p) {
  const std::vector<long double> s = singular(a.columns > a.rows ? adjoint(a) : a).s;
  long double squares = 0, nuclear = 0;
  for (const long double v : s) squares += v * v, nuclear += v;
  if (p == "fro") return std::sqrt(squares);
  if (p == "nuc") return nuclear;
  const bool by_columns = p.back() == '1', is_least = p[0] == '-';
  long double out = is_least ? INFINITY : 0;
  for (size_t i = 0; i < (by_columns ? a.columns : a.rows); ++i) {
    long double total = 0;
    for (size_t k = 0; k < (by_columns ? a.rows : a.columns); ++k)
      total += std::abs(by_columns ? a(k, i) : a(i, k));
    out = is_least ? std::min(out, total) : std::max(out, total);
  }
  return out;
}

long double condition(const Matrix& a, const std::string& p) {
  const std::vector<long double> s = singular(a.columns > a.rows ? adjoint(a) : a).s;
  const long double most = *std::max_element(s.begin(), s.end());
  const long double least = *std::min_element(s.begin(), s.end());
  if (p != "2" && p != "-2" && !(least > 1e-18L * most)) return INFINITY;
  if (p == "2") return most / least;
  if (p == "-2") return least / most;
  return norm_of(a, p) * norm_of(solution(a, identity(a.rows)), p);
}

Arrays reference(const Attrs& at, const Arrays& in) {
  Arrays out = each_matrix(in, [&](const Matrices& m) {
    Matrix one(1, 1);
    if (!is_finite(m[0])) return Matrices{nan_matrix(1, 1)};
    one(0, 0) = condition(m[0], at.get<std::string>("p"));
    return Matrices{one};
  });
  make_values(out[0]);
  out[0].shape.pop_back();
  return out;
}

}  // namespace

WEFT_OP_TEST(linalg__cond) {
  t.skip("zero", "a matrix with a NaN or an infinity is NaN as a whole, gradient and all");
  t.sample({exactly({3, 3}, {1, 0.5, -0.3, 0.2, 4, 0.7, 0.4, 0.1, -2})});
  t.sample({regular({3, 2}, 3)});
  t.sample({exactly({2, 2, 2}, {1, 0.5, 0.25, 3, -1, 0.5, 0.75, 2})});
  t.sample({in({0, 2, 2})});
  t.sample({regular({3, 3}, 3)}, "p=\"-2\"");
  for (const char* p : {"fro", "nuc", "1", "-1", "inf", "-inf"}) {
    t.sample({exactly({3, 3}, {1, 0.5, -0.3, 0.2, 4, 0.7, 0.4, 0.1, -2})},
             weft::text("p=\"", p, "\""));
  }
  t.sample({exactly({2, 2, 2}, {1, 0.5, 0.25, 3, -1, 0.5, 0.75, 2})}, "p=\"1\"");
  t.large({regular({64, 9, 9})});
  t.reference(reference);
  t.tolerance(8, "rotations of sums of products");
  t.error("rank", {in({3})}, "",
          "cond: a matrix needs at least 2 axes, but the input has shape [3] [cond.rank]");
  t.error("p", {in({2, 2})}, "p=\"3\"",
          "cond: p is '3'; it must be 2, -2, fro, nuc, 1, -1, inf or -inf [cond.p]");
  t.error("square", {in({2, 3})}, "p=\"1\"",
          "cond: a matrix has 2 rows and 3 columns; they must be equal [cond.square]");
  t.error("empty", {in({2, 0})}, "",
          "cond: x has shape [2, 0]; a matrix without elements has no condition [cond.empty]");
}
