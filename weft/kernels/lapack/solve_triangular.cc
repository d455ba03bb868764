// Triangular systems: of complex numbers by trtrs, which finds zeros on the diagonal first; of real
// ones by our own substitution.
#include "weft/kernels/lapack/lapack.h"
#include "weft/kernels/lapack/matrices.h"
#include "weft/kernels/lapack/routines.h"
#include "weft/kernels/triangular/triangular.h"

namespace weft::kernels::lapack {
namespace {

// Column-major, and whether the triangle that is read is finite; what else is there does not
// matter.
template <class T>
bool load_triangle(const Strided<T>& from, const TriangularSolve& how, T* to) {
  copy_columns(from, to);
  bool finite = true;
  const int64_t n = from.rows, unit = how.unit_diagonal ? 1 : 0;
  for (int64_t c = 0; c < n; ++c) {
    const int64_t begin = how.upper ? 0 : c + unit, end = how.upper ? c + 1 - unit : n;
    finite &= all_finite(to + c * n + begin, end - begin);
  }
  return finite;
}

template <class T>
void solve(const Tensor& out, const Tensor& a, const Tensor& b, TriangularSolve how, Blame blame) {
  const int64_t n = out.shape()[out.rank() - 2].value(), k = out.shape().back().value();
  const Int size = extent(n, blame), columns = extent(k, blame);
  const char trans = how.adjoint ? 'C' : 'N';
  FirstFailure failure;
  const double ns =
      kFlopNs * static_cast<double>(n) * static_cast<double>(n + 4) * static_cast<double>(k);
  in_tasks(batch_size(out), ns + 100, [&](int64_t begin, int64_t end) {
    Workspace memory((n * n + n * k) * static_cast<int64_t>(sizeof(T)));
    T *const triangle = memory.take<T>(n * n), *const x = memory.take<T>(n * k);
    for (int64_t i = begin; i < end; ++i) {
      T* const to = static_cast<T*>(out.writable_data()) + i * n * k;
      const bool finite = load_triangle(matrix_at<T>(a, out, i), how, triangle);
      const Strided<T> right = matrix_at<T>(b, out, i);
      const bool right_finite = load(right, x);
      if (!finite) {
        store_nan(to, n * k);
        continue;
      }
      const Int info = trtrs(how.upper ? 'U' : 'L', trans, how.unit_diagonal ? 'U' : 'N', size,
                             columns, triangle, x);
      if (info != 0) failure.note(i, info);
      store_solution(x, right, right_finite, to);
    }
  });
  if (failure.any()) {
    fail(Code::kInvalid, blame.op, blame.law, matrix_name(out, failure.matrix()),
         " is singular: element ", failure.info() - 1,
         " of its diagonal is 0; all must differ from 0");
  }
}

}  // namespace

void solve_triangular(const Tensor& out, const Tensor& a, const Tensor& b, TriangularSolve how,
                      Blame blame) {
  if (out.numel() == 0) return;
  switch (a.dtype()) {
    case DType::kC64: return solve<std::complex<float>>(out, a, b, how, blame);
    case DType::kC128: return solve<std::complex<double>>(out, a, b, how, blame);
    default: return triangular::solve(out, a, b, how, blame);
  }
}

}  // namespace weft::kernels::lapack
