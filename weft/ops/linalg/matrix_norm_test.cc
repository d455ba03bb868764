// Samples of linalg.matrix_norm.
#include "weft/ops/linalg/jacobi_reference.h"

using namespace weft::suite;

namespace {

long double norm_of(const Matrix& a, const std::string& ord) {
  std::vector<long double> s = singular(a.columns > a.rows ? adjoint(a) : a).s;
  long double total = 0;
  if (ord == "nuc") {
    for (long double x : s) total += x;
    return total;
  }
  if (ord == "fro") {
    for (const Complex& x : a.values) total += std::norm(x);
    return std::sqrt(total);
  }
  const bool by_rows = ord.find("inf") != std::string::npos;
  if (ord.back() != '2') {
    s.assign(by_rows ? a.rows : a.columns, 0);
    for (size_t r = 0; r < a.rows; ++r) {
      for (size_t c = 0; c < a.columns; ++c) s[by_rows ? r : c] += std::abs(a(r, c));
    }
  }
  if (s.empty()) return 0;
  return ord[0] == '-' ? *std::min_element(s.begin(), s.end())
                       : *std::max_element(s.begin(), s.end());
}

Arrays reference(const Attrs& at, const Arrays& in) {
  Arrays out = each_matrix(in, [&](const Matrices& m) {
    Matrix one(1, 1);
    one(0, 0) = norm_of(m[0], at.get<std::string>("ord"));
    return Matrices{one};
  });
  make_values(out[0]);
  out[0].shape.pop_back();
  if (at.get<bool>("keepdims")) out[0].shape.insert(out[0].shape.end(), {1, 1});
  return out;
}

}  // namespace

WEFT_OP_TEST(linalg__matrix_norm) {
  t.skip("zero", "a matrix with a NaN or an infinity is NaN as a whole, gradient and all");
  t.skip("special", "what sums, norm and svdvals say of infinities is tested there");
  t.sample({in({3, 4})});
  t.sample({in({2, 3, 2})}, "ord=\"nuc\", keepdims=true");
  for (const char* ord : {"1", "-1", "2", "-2", "inf", "-inf"}) {
    t.sample({in({2, 3})}, std::string("ord=\"") + ord + "\"");
  }
  t.sample({in({0, 3})});
  t.sample({in({0, 3})}, "ord=\"2\"");
  t.sample({in({3, 0})}, "ord=\"inf\"");
  t.large({in({40, 30, 30})}, "ord=\"1\"");
  t.reference(reference);
  t.tolerance(8, "sums of products");
  t.error("rank", {in({3})}, "",
          "matrix_norm: a matrix needs at least 2 axes, but the input has shape [3] "
          "[matrix_norm.rank]");
  t.error("ord", {in({2, 2})}, "ord=\"3\"",
          "matrix_norm: the order is '3'; it must be fro, nuc, 1, -1, 2, -2, inf or -inf "
          "[matrix_norm.ord]");
}
