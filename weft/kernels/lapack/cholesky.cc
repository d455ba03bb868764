// Cholesky factors: potrf on the Hermitian part of each matrix.
#include "weft/kernels/lapack/lapack.h"
#include "weft/kernels/lapack/matrices.h"
#include "weft/kernels/lapack/routines.h"

namespace weft::kernels::lapack {
namespace {

// The lower triangle of column-major `from`, or its adjoint, with zeros beyond the diagonal.
template <class T>
void store_triangle(const T* from, int64_t n, bool upper, T* to) {
  for (int64_t r = 0; r < n; ++r) {
    for (int64_t c = 0; c < n; ++c) {
      const bool inside = upper ? r <= c : r >= c;
      to[r * n + c] = !inside ? T() : upper ? conjugate(from[c + r * n]) : from[r + c * n];
    }
  }
}

template <class T>
void factor(const Tensor& out, const Tensor& a, bool upper, Blame blame) {
  const int64_t n = a.shape().back().value();
  const Int size = extent(n, blame);
  FirstFailure failure;
  const double ns =
      kFlopNs * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  in_tasks(batch_size(out), ns + 100, [&](int64_t begin, int64_t end) {
    Workspace memory(n * n * static_cast<int64_t>(sizeof(T)));
    T* const work = memory.take<T>(n * n);
    for (int64_t i = begin; i < end; ++i) {
      T* const to = static_cast<T*>(out.writable_data()) + i * n * n;
      if (!load_hermitian(matrix_at<T>(a, out, i), work)) {
        store_nan(to, n * n);
        continue;
      }
      const Int info = potrf('L', size, work);
      if (info != 0) failure.note(i, info);
      store_triangle(work, n, upper, to);
    }
  });
  if (failure.any()) {
    fail(Code::kInvalid, blame.op, blame.law, matrix_name(out, failure.matrix()),
         " is not positive definite: its leading ", failure.info(), " x ", failure.info(),
         " part is not; all eigenvalues must be positive");
  }
}

}  // namespace

void cholesky(const Tensor& out, const Tensor& a, bool upper, Blame blame) {
  if (out.numel() == 0) return;
  with_type(a.dtype(), [&]<class T>(T) { factor<T>(out, a, upper, blame); });
}

}  // namespace weft::kernels::lapack
