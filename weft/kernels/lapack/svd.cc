// Singular values and vectors, by divide and conquer.
#include <algorithm>

#include "weft/kernels/lapack/lapack.h"
#include "weft/kernels/lapack/phase.h"

namespace weft::kernels::lapack {
namespace {

// One call's sizes: m x n matrices, of which `left` columns of u and `right` rows of vh are wanted.
struct Sizes {
  int64_t m, n, left, right;
  char job;  // of ?gesdd

  int64_t k() const { return std::min(m, n); }
  int64_t reals() const {  // ?gesdd's rwork
    const int64_t most = std::max(m, n);
    return job == 'N' ? 7 * k() : k() * std::max(5 * k() + 7, 2 * most + 2 * k() + 1);
  }
};

// How much work memory LAPACK would like.
template <class T>
int64_t work_length(const Sizes& size, Blame blame) {
  T wish{}, matrix{};
  Real<T> real{};
  Int integer = 0;
  const Int right = extent(std::max<int64_t>(size.right, 1), blame);
  gesdd(size.job, extent(size.m, blame), extent(size.n, blame), &matrix, &real, &matrix, &matrix,
        right, &wish, -1, &real, &integer);
  // A float may have been rounded down.
  return static_cast<int64_t>(std::abs(wish) * (1 + 1e-6)) + 64;
}

// Both vectors of a pair turned so that u's is the one that phase_of asks for.
template <class T>
void turn_pairs(const Sizes& size, T* u, T* vt) {
  for (int64_t c = 0; c < size.k(); ++c) {
    const T phase = phase_of(u + c * size.m, size.m);
    for (int64_t r = 0; r < size.m; ++r) u[r + c * size.m] *= conjugate(phase);
    for (int64_t j = 0; j < size.n; ++j) vt[c + j * size.right] *= phase;
  }
}

template <class T>
void decompose(const Sizes& size, const Tensor& s, const Tensor& u, const Tensor& vh,
               const Tensor& a, Blame blame) {
  const int64_t k = size.k(), length = work_length<T>(size, blame), most = std::max(size.m, size.n);
  const bool wanted = u.defined();
  extent(length, blame);
  FirstFailure failure;
  const double ns =
      8 * kFlopNs * static_cast<double>(k) * static_cast<double>(k) * static_cast<double>(most);
  in_tasks(batch_size(s, 1), ns + 100, [&](int64_t begin, int64_t end) {
    Workspace memory((size.m * size.n + size.m * size.left + size.right * size.n + length) *
                         static_cast<int64_t>(sizeof(T)) +
                     (k + size.reals()) * static_cast<int64_t>(sizeof(Real<T>)) +
                     8 * k * static_cast<int64_t>(sizeof(Int)));
    T *const matrix = memory.take<T>(size.m * size.n), *const work = memory.take<T>(length);
    T *const lefts = memory.take<T>(size.m * size.left), *const rights =
                                                             memory.take<T>(size.right * size.n);
    auto *const values = memory.take<Real<T>>(k), *const real = memory.take<Real<T>>(size.reals());
    Int* const integers = memory.take<Int>(8 * k);
    for (int64_t i = begin; i < end; ++i) {
      Real<T>* const to = static_cast<Real<T>*>(s.writable_data()) + i * k;
      T* const to_u =
          wanted ? static_cast<T*>(u.writable_data()) + i * size.m * size.left : nullptr;
      T* const to_vh =
          wanted ? static_cast<T*>(vh.writable_data()) + i * size.right * size.n : nullptr;
      if (!load(matrix_at<T>(a, a, i), matrix)) {
        store_nan(to, k);
        if (wanted) store_nan(to_u, size.m * size.left), store_nan(to_vh, size.right * size.n);
        continue;
      }
      const Int info =
          gesdd(size.job, static_cast<Int>(size.m), static_cast<Int>(size.n), matrix, values, lefts,
                rights, static_cast<Int>(std::max<int64_t>(size.right, 1)), work,
                static_cast<Int>(length), real, integers);
      if (info != 0) failure.note(i, info);
      std::copy(values, values + k, to);
      if (!wanted) continue;
      turn_pairs(size, lefts, rights);
      store(lefts, size.m, size.m, size.left, to_u);
      store(rights, size.right, size.right, size.n, to_vh);
    }
  });
  if (failure.any()) {
    fail(Code::kInvalid, blame.op, blame.law, "the singular values of ",
         matrix_name(s, failure.matrix(), 1), " did not converge");
  }
}

// The complete bases of matrices without elements.
template <class T>
void store_identities(const Tensor& x) {
  const int64_t n = x.dim(-1).value();
  T* to = static_cast<T*>(x.writable_data());
  for (int64_t i = 0; i < x.numel(); ++i) to[i] = T(i / n % n == i % n ? 1 : 0);
}

}  // namespace

void svd(const Tensor& s, const Tensor& u, const Tensor& vh, const Tensor& a, Blame blame) {
  const int64_t m = a.dim(-2).value(), n = a.dim(-1).value(), k = std::min(m, n);
  const bool wanted = u.defined();
  with_type(a.dtype(), [&]<class T>(T) {
    if (k == 0) {
      if (wanted) store_identities<T>(u), store_identities<T>(vh);
      return;
    }
    const int64_t left = wanted ? u.dim(-1).value() : 0, right = wanted ? vh.dim(-2).value() : 0;
    const char job = !wanted ? 'N' : left == k && right == k ? 'S' : 'A';
    decompose<T>({m, n, left, right, job}, s, u, vh, a, blame);
  });
}

}  // namespace weft::kernels::lapack
