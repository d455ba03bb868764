// Eigenvalues and eigenvectors of Hermitian matrices, by divide and conquer.
#include <algorithm>

#include "weft/kernels/lapack/lapack.h"
#include "weft/kernels/lapack/phase.h"

namespace weft::kernels::lapack {
namespace {

// The sizes of working memory that the manual of ?syevd and ?heevd asks for, and room for blocks.
struct Lengths {
  int64_t work, real, integer;

  Lengths(int64_t n, bool is_complex, bool vectors) {
    const int64_t blocks = n * 66;
    work = std::max(vectors ? 1 + 6 * n + 2 * n * n : 2 * n + 1, blocks);
    real = !is_complex ? 1 : vectors ? 1 + 5 * n + 2 * n * n : n;
    integer = vectors ? 3 + 5 * n : 1;
  }
};

template <class T>
void store_vectors(T* from, int64_t n, T* to) {
  for (int64_t c = 0; c < n; ++c) {
    const T turn = conjugate(phase_of(from + c * n, n));
    for (int64_t r = 0; r < n; ++r) from[r + c * n] *= turn;
  }
  store(from, n, n, n, to);
}

template <class T>
void decompose(const Tensor& values, const Tensor& vectors, const Tensor& a, Blame blame) {
  const int64_t n = a.dim(-1).value();
  const bool wanted = vectors.defined();
  const Int size = extent(n, blame);
  const Lengths lengths(n, kIsComplex<T>, wanted);
  extent(lengths.work, blame);
  FirstFailure failure;
  const double ns =
      4 * kFlopNs * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  in_tasks(batch_size(values, 1), ns + 100, [&](int64_t begin, int64_t end) {
    Workspace memory((n * n + lengths.work) * static_cast<int64_t>(sizeof(T)) +
                     (n + lengths.real) * static_cast<int64_t>(sizeof(Real<T>)) +
                     lengths.integer * static_cast<int64_t>(sizeof(Int)));
    T *const matrix = memory.take<T>(n * n), *const work = memory.take<T>(lengths.work);
    auto *const w = memory.take<Real<T>>(n), *const real = memory.take<Real<T>>(lengths.real);
    Int* const integers = memory.take<Int>(lengths.integer);
    for (int64_t i = begin; i < end; ++i) {
      Real<T>* const to = static_cast<Real<T>*>(values.writable_data()) + i * n;
      T* const to_vectors = wanted ? static_cast<T*>(vectors.writable_data()) + i * n * n : nullptr;
      if (!load_hermitian(matrix_at<T>(a, a, i), matrix)) {
        store_nan(to, n);
        if (wanted) store_nan(to_vectors, n * n);
        continue;
      }
      const Int info =
          heevd(wanted ? 'V' : 'N', size, matrix, w, work, static_cast<Int>(lengths.work), real,
                static_cast<Int>(lengths.real), integers, static_cast<Int>(lengths.integer));
      if (info != 0) failure.note(i, info);
      std::copy(w, w + n, to);
      if (wanted) store_vectors(matrix, n, to_vectors);
    }
  });
  if (failure.any()) {
    fail(Code::kInvalid, blame.op, blame.law, "the eigenvalues of ",
         matrix_name(values, failure.matrix(), 1), " did not converge");
  }
}

}  // namespace

void eigh(const Tensor& values, const Tensor& vectors, const Tensor& a, Blame blame) {
  if (values.numel() == 0) return;
  with_type(a.dtype(), [&]<class T>(T) { decompose<T>(values, vectors, a, blame); });
}

}  // namespace weft::kernels::lapack
