// Complex long double matrices for the references of linalg's tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "tests/op_suite/samples.h"

namespace weft::suite {

using Complex = std::complex<long double>;

struct Matrix {
  size_t rows, columns;
  std::vector<Complex> values;  // row-major

  Matrix(size_t rows, size_t columns) : rows(rows), columns(columns), values(rows * columns) {}
  Complex& operator()(size_t r, size_t c) { return values[r * columns + c]; }
  const Complex& operator()(size_t r, size_t c) const { return values[r * columns + c]; }
};
using Matrices = std::vector<Matrix>;

inline Matrix adjoint(const Matrix& a) {
  Matrix out(a.columns, a.rows);
  for (size_t r = 0; r < a.rows; ++r) {
    for (size_t c = 0; c < a.columns; ++c) out(c, r) = std::conj(a(r, c));
  }
  return out;
}

inline Matrix hermitian(const Matrix& a) {
  Matrix out = adjoint(a);
  for (size_t i = 0; i < out.values.size(); ++i)
    out.values[i] = (out.values[i] + a.values[i]) / 2.0L;
  return out;
}

inline Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix out(a.rows, b.columns);
  for (size_t r = 0; r < a.rows; ++r) {
    for (size_t c = 0; c < b.columns; ++c) {
      for (size_t k = 0; k < a.columns; ++k) out(r, c) += a(r, k) * b(k, c);
    }
  }
  return out;
}

inline bool is_finite(const Matrix& a) {
  for (const Complex& x : a.values) {
    if (!std::isfinite(x.real()) || !std::isfinite(x.imag())) return false;
  }
  return true;
}

inline Matrix nan_matrix(size_t rows, size_t columns) {
  Matrix out(rows, columns);
  for (Complex& x : out.values) x = {NAN, NAN};
  return out;
}
inline Matrix nan_like(const Matrix& a) { return nan_matrix(a.rows, a.columns); }

// Elimination with row exchanges, by the greatest |re| + |im| of a column, as LAPACK chooses.
struct Eliminated {
  Matrix lu;
  std::vector<size_t> pivots, permutation;

  explicit Eliminated(const Matrix& a) : lu(a) {
    for (size_t r = 0; r < a.rows; ++r) permutation.push_back(r);
    for (size_t k = 0; k < std::min(a.rows, a.columns); ++k) eliminate(k);
  }

 private:
  void eliminate(size_t k) {
    const auto size = [&](size_t r) {
      return std::abs(lu(r, k).real()) + std::abs(lu(r, k).imag());
    };
    size_t pivot = k;
    for (size_t r = k + 1; r < lu.rows; ++r) pivot = size(r) > size(pivot) ? r : pivot;
    pivots.push_back(pivot);
    std::swap(permutation[k], permutation[pivot]);
    for (size_t c = 0; c < lu.columns; ++c) std::swap(lu(k, c), lu(pivot, c));
    for (size_t r = k + 1; r < lu.rows; ++r) {
      lu(r, k) /= lu(k, k);
      for (size_t c = k + 1; c < lu.columns; ++c) lu(r, c) -= lu(r, k) * lu(k, c);
    }
  }
};

// x with a x = b; NaN for a matrix, or a column of b, that is not finite.
inline Matrix solution(const Matrix& a, const Matrix& b) {
  if (!is_finite(a)) return nan_matrix(b.rows, b.columns);
  const Eliminated e(a);
  Matrix x(b.rows, b.columns);
  for (size_t c = 0; c < b.columns; ++c) {
    for (size_t r = 0; r < b.rows; ++r) {
      x(r, c) = b(e.permutation[r], c);
      for (size_t k = 0; k < r; ++k) x(r, c) -= e.lu(r, k) * x(k, c);
    }
    for (size_t r = b.rows; r-- > 0;) {
      for (size_t k = r + 1; k < b.rows; ++k) x(r, c) -= e.lu(r, k) * x(k, c);
      x(r, c) /= e.lu(r, r);
    }
    bool finite = true;
    for (size_t r = 0; r < b.rows; ++r)
      finite &= std::isfinite(b(r, c).real()) && std::isfinite(b(r, c).imag());
    for (size_t r = 0; r < b.rows && !finite; ++r) x(r, c) = {NAN, NAN};
  }
  return x;
}

inline Matrix identity(size_t n) {
  Matrix out(n, n);
  for (size_t i = 0; i < n; ++i) out(i, i) = 1;
  return out;
}

// Matrix `index` of an array's last two axes, broadcast over `batch`.
inline Matrix matrix_at(const Array& x, const std::vector<int64_t>& batch, int64_t index) {
  const std::vector<int64_t> place = unravel(index, batch);
  const size_t own = x.shape.size() - 2;
  int64_t offset = 0;
  for (size_t d = 0; d < own; ++d) {
    const int64_t at = x.shape[d] == 1 ? 0 : place[place.size() - own + d];
    offset = offset * x.shape[d] + at;
  }
  Matrix out(static_cast<size_t>(x.shape[own]), static_cast<size_t>(x.shape[own + 1]));
  for (size_t i = 0; i < out.values.size(); ++i) {
    const ScalarValue& v = x.values[static_cast<size_t>(offset) * out.values.size() + i];
    out.values[i] = {v.re, v.im};
  }
  return out;
}

// The batch axes of arrays of matrices, broadcast.
inline std::vector<int64_t> batch_shape(const Arrays& in) {
  size_t rank = 0;
  for (const Array& x : in) rank = std::max(rank, x.shape.size() - 2);
  std::vector<int64_t> out(rank, 1);
  for (const Array& x : in) {
    for (size_t d = 0; d + 2 < x.shape.size(); ++d) {
      int64_t& size = out[rank - (x.shape.size() - 2) + d];
      if (size == 1) size = x.shape[d];
    }
  }
  return out;
}

// Appends a matrix's elements to an array of that dtype.
inline void append(Array& out, const Matrix& m) {
  for (const Complex& x : m.values) {
    ScalarValue v;
    v.re = x.real();
    v.im = out.dtype == DType::kC64 || out.dtype == DType::kC128 ? x.imag() : 0;
    out.values.push_back(v);
  }
}

// `of` on every matrix of the batch; each of its results is an output with the input's dtype. An
// empty batch asks it of zeros for their sizes.
template <class F>
Arrays each_matrix(const Arrays& in, F of) {
  const std::vector<int64_t> batch = batch_shape(in);
  Matrices empty;
  for (const Array& x : in) {
    empty.emplace_back(static_cast<size_t>(x.shape[x.shape.size() - 2]),
                       static_cast<size_t>(x.shape.back()));
  }
  Arrays out;
  const int64_t total = count(batch);
  for (int64_t i = 0; i < std::max<int64_t>(total, 1); ++i) {
    Matrices given = empty;
    for (size_t k = 0; k < in.size() && total > 0; ++k) given[k] = matrix_at(in[k], batch, i);
    const Matrices results = of(given);
    for (size_t k = 0; k < results.size(); ++k) {
      if (i == 0) {
        out.push_back({in[0].dtype, batch, {}});
        out[k].shape.push_back(static_cast<int64_t>(results[k].rows));
        out[k].shape.push_back(static_cast<int64_t>(results[k].columns));
      }
      if (total > 0) append(out[k], results[k]);
    }
  }
  return out;
}

}  // namespace weft::suite
