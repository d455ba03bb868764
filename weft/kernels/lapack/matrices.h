// Batches of matrices between our strided tensors and LAPACK's column-major ones.
//
// Each matrix is copied into working memory of its own alignment, worked on by one thread, and
// written back: so its bits depend on its values alone, not on the batch, layout or threads.
#pragma once

#include <atomic>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>

#include "weft/base/error.h"
#include "weft/core/native.h"
#include "weft/kernels/operand.h"
#include "weft/kernels/scratch.h"
#include "weft/kernels/tasks.h"
#include "weft/kernels/tile.h"

namespace weft::kernels::lapack {

// Calls body(T()) with the element type of `dtype`, one of f32, f64, c64 and c128.
template <class Body>
void with_type(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::kF32: return body(float());
    case DType::kF64: return body(double());
    case DType::kC64: return body(std::complex<float>());
    case DType::kC128: return body(std::complex<double>());
    default: WEFT_ASSERT(false, "LAPACK on ", dtype);
  }
}

// A size as LAPACK counts.
inline int32_t extent(int64_t size, Blame blame) {
  if (size > std::numeric_limits<int32_t>::max()) {
    fail(Code::kOverflow, blame.op, "large", "a matrix has ", size,
         " rows or columns; LAPACK takes at most 2147483647");
  }
  return static_cast<int32_t>(size);
}

// One matrix of a batch, in elements.
template <class T>
struct Strided {
  T* data;
  int64_t rows, columns, row_stride, column_stride;
};

// How many matrices a batch has: the leading axes of a contiguous output of at least two axes (or
// as many as `own` says).
inline int64_t batch_size(const Tensor& out, int own = 2) {
  int64_t count = 1;
  for (int64_t d = 0; d + own < out.rank(); ++d) count *= out.shape()[d].value();
  return count;
}

// Matrix `index` of x, whose leading axes broadcast to those of `out`.
template <class T>
Strided<T> matrix_at(const Tensor& x, const Tensor& out, int64_t index) {
  const Operand from = operand_of(x), to = operand_of(out);
  int64_t offset = 0;
  for (int d = to.rank - 3; d >= 0; --d) {
    const int64_t size = to.dims[d].value(), at = index % size;
    index /= size;
    const int own = d - (to.rank - from.rank);
    if (own >= 0 && from.dims[own] != Dim(1)) offset += at * from.strides[own];
  }
  const int r = from.rank - 2, c = from.rank - 1;
  return {reinterpret_cast<T*>(from.data) + offset, from.dims[r].value(), from.dims[c].value(),
          from.strides[r], from.strides[c]};
}

inline bool is_finite(float x) { return std::isfinite(x); }
inline bool is_finite(double x) { return std::isfinite(x); }
template <class T>
bool is_finite(std::complex<T> x) {
  return std::isfinite(x.real()) && std::isfinite(x.imag());
}
// By the bits of the exponents: a loop of vectors, which branches and comparisons of floats are
// not.
template <class T>
bool all_finite(const T* x, int64_t count) {
  if constexpr (!std::is_floating_point_v<T>) {
    return all_finite(reinterpret_cast<const typename T::value_type*>(x), 2 * count);
  } else {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    const Bits exponent = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
    Bits none = 0;
    for (int64_t i = 0; i < count; ++i) {
      // Only all ones carry out of the exponent, into the sign, which was cleared.
      none |= (std::bit_cast<Bits>(x[i]) & exponent) + (exponent & -exponent);
    }
    return none >> (8 * sizeof(T) - 1) == 0;
  }
}
inline float conjugate(float x) { return x; }
inline double conjugate(double x) { return x; }
template <class T>
std::complex<T> conjugate(std::complex<T> x) {
  return std::conj(x);
}

// Copies a tile in squares whose sides are a line of the caches: matrices often have sizes of which
// few lines fit a cache at once.
void copy_squares(TileTarget to, TileSource from, int64_t rows, int64_t columns, int64_t item);

// Column-major, with `rows` as leading dimension.
template <class T>
void copy_columns(const Strided<T>& from, T* to) {
  constexpr int64_t item = sizeof(T);
  copy_squares(
      {reinterpret_cast<char*>(to), item, from.rows * item},
      {reinterpret_cast<const char*>(from.data), from.row_stride * item, from.column_stride * item},
      from.rows, from.columns, item);
}
// False if an element is NaN or infinite, on which LAPACK may give anything or not end.
template <class T>
bool load(const Strided<T>& from, T* to) {
  copy_columns(from, to);
  return all_finite(to, from.rows * from.columns);
}

// The lower triangle of the Hermitian part, (a + a^H) / 2. Halves are added: the sum of the whole
// could overflow.
template <class T>
bool load_hermitian(const Strided<T>& from, T* to) {
  bool finite = true;
  const auto at = [&](int64_t r, int64_t c) {
    return from.data[r * from.row_stride + c * from.column_stride];
  };
  for (int64_t c = 0; c < from.columns; ++c) {
    for (int64_t r = c; r < from.rows; ++r) {
      const T a = at(r, c), b = at(c, r);
      finite &= is_finite(a) && is_finite(b);
      to[r + c * from.rows] = a == conjugate(b) ? a : T(0.5) * a + T(0.5) * conjugate(b);
    }
  }
  return finite;
}

// NaN in both parts.
template <class T>
T nan_of() {
  if constexpr (std::is_floating_point_v<T>) {
    return std::numeric_limits<T>::quiet_NaN();
  } else {
    using Part = typename T::value_type;
    return T(nan_of<Part>(), nan_of<Part>());
  }
}

// Row-major from column-major with leading dimension `ld`.
template <class T>
void store(const T* from, int64_t ld, int64_t rows, int64_t columns, T* to) {
  constexpr int64_t item = sizeof(T);
  copy_squares({reinterpret_cast<char*>(to), columns * item, item},
               {reinterpret_cast<const char*>(from), item, ld * item}, rows, columns, item);
}

// Right-hand sides, of which `load` said whether they are `finite`: where a column of `b` is not,
// that column of the row-major result `to` becomes NaN.
template <class T>
void store_solution(const T* from, const Strided<T>& b, bool finite, T* to) {
  store(from, b.rows, b.rows, b.columns, to);
  if (finite) return;
  for (int64_t c = 0; c < b.columns; ++c) {
    bool column_finite = true;
    for (int64_t r = 0; r < b.rows; ++r) {
      column_finite &= is_finite(b.data[r * b.row_stride + c * b.column_stride]);
    }
    if (column_finite) continue;
    for (int64_t r = 0; r < b.rows; ++r) to[r * b.columns + c] = nan_of<T>();
  }
}

template <class T>
void store_nan(T* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = nan_of<T>();
}

// While it lives, OpenBLAS starts no threads for calls from this one; and a build of it that is not
// made for several callers (Debian's serial one gives two of them the same buffer) has one at a
// time. At the exit of the process OpenBLAS takes its buffers away: threads whose calls are long
// are stopped before that.
class LibraryTurn {
 public:
  explicit LibraryTurn(bool is_long);
  ~LibraryTurn();
  LibraryTurn(const LibraryTurn&) = delete;
  LibraryTurn& operator=(const LibraryTurn&) = delete;

 private:
  const bool is_long_;
  int threads_before_ = 0;
};

// What one task needs: its turn, and working memory, in arrays that begin on 64 bytes.
class Workspace {
 public:
  explicit Workspace(int64_t bytes)
      : scratch_(bytes + 64 * kArrays), turn_(bytes >= kLongBytes), next_(scratch_.data()) {}
  template <class T>
  T* take(int64_t count) {
    char* const out = next_;
    next_ += (count * static_cast<int64_t>(sizeof(T)) + 63) / 64 * 64;
    return reinterpret_cast<T*>(out);
  }

 private:
  static constexpr int64_t kArrays = 8;             // at most, each rounded up
  static constexpr int64_t kLongBytes = 256 << 10;  // of matrices that take a millisecond and more
  Scratch scratch_;  // first: a thread in its turn may be stopped, and must not hold the allocator
  LibraryTurn turn_;
  char* next_;
};

// The first matrix of the batch, in its order, that LAPACK could not work on, and why.
class FirstFailure {
 public:
  void note(int64_t matrix, int32_t info) {
    const uint64_t entry = static_cast<uint64_t>(matrix) << 32 | static_cast<uint32_t>(info);
    uint64_t seen = first_.load(std::memory_order_relaxed);
    while (entry < seen && !first_.compare_exchange_weak(seen, entry)) {
    }
  }
  bool any() const { return first_.load() != kNone; }
  int64_t matrix() const { return static_cast<int64_t>(first_.load() >> 32); }
  int32_t info() const { return static_cast<int32_t>(first_.load()); }

 private:
  static constexpr uint64_t kNone = ~uint64_t{0};
  std::atomic<uint64_t> first_{kNone};
};

// "the matrix", or "matrix [1, 0] of the batch".
std::string matrix_name(const Tensor& out, int64_t index, int own = 2);

// What a flop takes, for cutting a batch into tasks.
inline constexpr double kFlopNs = 0.2;

}  // namespace weft::kernels::lapack
