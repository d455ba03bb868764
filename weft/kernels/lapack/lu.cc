// Factors by Gaussian elimination with row exchanges, and what follows from them: solutions and
// inverses.
#include <algorithm>

#include "weft/kernels/lapack/lapack.h"
#include "weft/kernels/lapack/matrices.h"
#include "weft/kernels/lapack/routines.h"

namespace weft::kernels::lapack {
namespace {

double cubed(int64_t n) {
  return static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
}

[[noreturn]] void fail_singular(const Tensor& out, const FirstFailure& failure, Blame blame) {
  fail(Code::kInvalid, blame.op, blame.law, matrix_name(out, failure.matrix()),
       " is singular: pivot ", failure.info() - 1,
       " of its elimination is 0; it must have an inverse");
}

// Exchanges, counted from 0, and the order of rows they lead to.
void store_exchanges(const Int* from, int64_t count, int64_t rows, int64_t* pivots,
                     int64_t* permutation) {
  for (int64_t i = 0; i < rows; ++i) permutation[i] = i;
  for (int64_t i = 0; i < count; ++i) {
    pivots[i] = from == nullptr ? i : from[i] - 1;
    std::swap(permutation[i], permutation[pivots[i]]);
  }
}

template <class T>
void factor(const Tensor& out, const Tensor& pivots, const Tensor& permutation, const Tensor& a,
            Blame blame) {
  const int64_t m = a.dim(-2).value(), n = a.dim(-1).value(), k = std::min(m, n);
  const Int rows = extent(m, blame), columns = extent(n, blame);
  in_tasks(batch_size(out), kFlopNs * cubed(std::max(m, n)) + 100, [&](int64_t begin, int64_t end) {
    Workspace memory(m * n * static_cast<int64_t>(sizeof(T)) +
                     k * static_cast<int64_t>(sizeof(Int)));
    T* const work = memory.take<T>(m * n);
    Int* const exchanged = memory.take<Int>(k);
    for (int64_t i = begin; i < end; ++i) {
      T* const to = static_cast<T*>(out.writable_data()) + i * m * n;
      int64_t* const to_pivots = static_cast<int64_t*>(pivots.writable_data()) + i * k;
      int64_t* const to_rows = static_cast<int64_t*>(permutation.writable_data()) + i * m;
      if (!load(matrix_at<T>(a, out, i), work)) {
        store_nan(to, m * n);
        store_exchanges(nullptr, k, m, to_pivots, to_rows);
        continue;
      }
      if (k > 0) getrf(rows, columns, work, exchanged);  // a zero pivot is no failure here
      store(work, m, m, n, to);
      store_exchanges(exchanged, k, m, to_pivots, to_rows);
    }
  });
}

template <class T>
void solve_all(const Tensor& out, const Tensor& a, const Tensor& b, Blame blame) {
  const int64_t n = out.dim(-2).value(), k = out.dim(-1).value();
  const Int size = extent(n, blame), columns = extent(k, blame);
  FirstFailure failure;
  in_tasks(batch_size(out), kFlopNs * cubed(n) + 100, [&](int64_t begin, int64_t end) {
    Workspace memory((n * n + n * k) * static_cast<int64_t>(sizeof(T)) +
                     n * static_cast<int64_t>(sizeof(Int)));
    T *const factors = memory.take<T>(n * n), *const x = memory.take<T>(n * k);
    Int* const exchanged = memory.take<Int>(n);
    for (int64_t i = begin; i < end; ++i) {
      T* const to = static_cast<T*>(out.writable_data()) + i * n * k;
      const Strided<T> right = matrix_at<T>(b, out, i);
      const bool finite = load(matrix_at<T>(a, out, i), factors);
      const bool right_finite = load(right, x);
      if (!finite) {
        store_nan(to, n * k);
        continue;
      }
      const Int info = getrf(size, size, factors, exchanged);
      if (info != 0) {
        failure.note(i, info);
        continue;
      }
      getrs(size, columns, factors, exchanged, x);
      store_solution(x, right, right_finite, to);
    }
  });
  if (failure.any()) fail_singular(out, failure, blame);
}

template <class T>
void invert_all(const Tensor& out, const Tensor& a, Blame blame) {
  constexpr int64_t kBlock = 64;
  const int64_t n = out.dim(-1).value();
  const Int size = extent(n, blame), length = extent(n * kBlock, blame);
  FirstFailure failure;
  in_tasks(batch_size(out), 2 * kFlopNs * cubed(n) + 100, [&](int64_t begin, int64_t end) {
    Workspace memory((n * n + n * kBlock) * static_cast<int64_t>(sizeof(T)) +
                     n * static_cast<int64_t>(sizeof(Int)));
    T *const factors = memory.take<T>(n * n), *const work = memory.take<T>(n * kBlock);
    Int* const exchanged = memory.take<Int>(n);
    for (int64_t i = begin; i < end; ++i) {
      T* const to = static_cast<T*>(out.writable_data()) + i * n * n;
      if (!load(matrix_at<T>(a, out, i), factors)) {
        store_nan(to, n * n);
        continue;
      }
      const Int info = getrf(size, size, factors, exchanged);
      if (info != 0) {
        if (blame.law == nullptr) {
          std::fill_n(to, n * n, T{});
        } else {
          failure.note(i, info);
        }
        continue;
      }
      getri(size, factors, exchanged, work, length);
      store(factors, n, n, n, to);
    }
  });
  if (failure.any()) fail_singular(out, failure, blame);
}

}  // namespace

void lu(const Tensor& lu, const Tensor& pivots, const Tensor& permutation, const Tensor& a,
        Blame blame) {
  with_type(a.dtype(), [&]<class T>(T) { factor<T>(lu, pivots, permutation, a, blame); });
}

void solve(const Tensor& out, const Tensor& a, const Tensor& b, Blame blame) {
  if (out.numel() == 0) return;
  with_type(a.dtype(), [&]<class T>(T) { solve_all<T>(out, a, b, blame); });
}

void inv(const Tensor& out, const Tensor& a, Blame blame) {
  if (out.numel() == 0) return;
  with_type(a.dtype(), [&]<class T>(T) { invert_all<T>(out, a, blame); });
}

}  // namespace weft::kernels::lapack
