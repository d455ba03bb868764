// Orthogonal factors by Householder reflections, made unique: the diagonal of r is not negative.
#include <algorithm>

#include "weft/kernels/lapack/lapack.h"
#include "weft/kernels/lapack/matrices.h"
#include "weft/kernels/lapack/routines.h"

namespace weft::kernels::lapack {
namespace {

constexpr int64_t kBlock = 64;  // columns that LAPACK reflects at once

// Of one matrix: m x n in `a`, which becomes r (and the reflections below it); q has `wide`
// columns.
template <class T>
struct Factors {
  int64_t m, n, wide;
  T *a, *q, *tau, *work;

  int64_t k() const { return std::min(m, n); }

  void compute() const {
    const auto rows = static_cast<Int>(m), size = static_cast<Int>(k());
    const auto length = static_cast<Int>(std::max(n, wide) * kBlock);
    if (size > 0) geqrf(rows, static_cast<Int>(n), a, tau, work, length);
    std::fill(q, q + m * wide, T());
    std::copy(a, a + m * std::min(k(), wide), q);
    if (wide > 0) orgqr(rows, static_cast<Int>(wide), size, q, tau, work, length);
    for (int64_t i = 0; i < k(); ++i) make_positive(i);
  }

  // Element i of r's diagonal: its phase goes into column i of q.
  void make_positive(int64_t i) const {
    const T diagonal = a[i + i * m];
    const Real<T> size = std::abs(diagonal);
    if (diagonal == T(size) || size == 0) return;
    const T phase = diagonal / size;
    for (int64_t c = i; c < n; ++c) a[i + c * m] *= conjugate(phase);
    for (int64_t r = 0; r < m; ++r) q[r + i * m] *= phase;
    a[i + i * m] = size;
  }

  void store_r(int64_t rows, T* to) const {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < n; ++c) to[r * n + c] = r <= c ? a[r + c * m] : T();
    }
  }
};

template <class T>
void factor(const Tensor& q, const Tensor& r, const Tensor& a, Blame blame) {
  const int64_t m = a.dim(-2).value(), n = a.dim(-1).value(), wide = q.dim(-1).value();
  const int64_t rows = r.dim(-2).value(), most = std::max({m, n, wide});
  extent(most * kBlock, blame);
  const double size = static_cast<double>(most);
  const int64_t count = batch_size(q);
  in_tasks(count, 2 * kFlopNs * size * size * size + 100, [&](int64_t begin, int64_t end) {
    Workspace memory((m * n + m * wide + n + most * kBlock) * static_cast<int64_t>(sizeof(T)));
    const Factors<T> factors{m,
                             n,
                             wide,
                             memory.take<T>(m * n),
                             memory.take<T>(m * wide),
                             memory.take<T>(n),
                             memory.take<T>(most * kBlock)};
    for (int64_t i = begin; i < end; ++i) {
      T* const to_q = static_cast<T*>(q.writable_data()) + i * m * wide;
      T* const to_r = static_cast<T*>(r.writable_data()) + i * rows * n;
      if (!load(matrix_at<T>(a, q, i), factors.a)) {
        store_nan(to_q, m * wide);
        store_nan(to_r, rows * n);
        continue;
      }
      factors.compute();
      store(factors.q, m, m, wide, to_q);
      factors.store_r(rows, to_r);
    }
  });
}

}  // namespace

void qr(const Tensor& q, const Tensor& r, const Tensor& a, Blame blame) {
  if (q.numel() == 0) return;  // then r is empty, too: it has as many rows as q has columns
  with_type(a.dtype(), [&]<class T>(T) { factor<T>(q, r, a, blame); });
}

}  // namespace weft::kernels::lapack
