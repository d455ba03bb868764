// Eigenvalues and singular values by Jacobi's rotations in long double, for the references.
#pragma once

#include "weft/ops/linalg/matrix_reference.h"

namespace weft::suite {

// Columns j and k of x become x [c, s; -conj(s), c]; the phase of g, what couples them, is in s.
inline void rotate_columns(Matrix& x, size_t j, size_t k, long double c, Complex s) {
  for (size_t i = 0; i < x.rows; ++i) {
    const Complex a = x(i, j), b = x(i, k);
    x(i, j) = c * a - std::conj(s) * b;
    x(i, k) = s * a + c * b;
  }
}

// Turns columns j and k of a (and of v) orthogonal; true if they were not.
inline bool orthogonalize(Matrix& a, Matrix& v, size_t j, size_t k) {
  long double alpha = 0, beta = 0;
  Complex gamma = 0;
  for (size_t i = 0; i < a.rows; ++i) {
    alpha += std::norm(a(i, j));
    beta += std::norm(a(i, k));
    gamma += std::conj(a(i, j)) * a(i, k);
  }
  const long double size = std::abs(gamma);
  if (size <= 1e-19L * std::sqrt(alpha * beta)) return false;
  const long double zeta = (beta - alpha) / (2 * size);
  const long double t = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
  const long double c = 1 / std::sqrt(1 + t * t);
  const Complex s = c * t * gamma / size;
  rotate_columns(a, j, k, c, s);
  rotate_columns(v, j, k, c, s);
  return true;
}

struct Singular {
  Matrix u, v;  // columns
  std::vector<long double> s;
};

// One-sided Jacobi of a matrix with at least as many rows as columns; values descend.
inline Singular singular(Matrix a) {
  const size_t n = a.columns;
  Matrix v = identity(n);
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool turned = false;
    for (size_t j = 0; j < n; ++j) {
      for (size_t k = j + 1; k < n; ++k) turned |= orthogonalize(a, v, j, k);
    }
    if (!turned) break;
  }
  Singular out{Matrix(a.rows, n), Matrix(n, n), {}};
  std::vector<std::pair<long double, size_t>> order;
  for (size_t c = 0; c < n; ++c) {
    long double size = 0;
    for (size_t i = 0; i < a.rows; ++i) size += std::norm(a(i, c));
    order.emplace_back(-std::sqrt(size), c);
  }
  std::sort(order.begin(), order.end());
  for (size_t c = 0; c < n; ++c) {
    out.s.push_back(-order[c].first);
    for (size_t i = 0; i < a.rows; ++i) out.u(i, c) = a(i, order[c].second) / out.s[c];
    for (size_t i = 0; i < n; ++i) out.v(i, c) = v(i, order[c].second);
  }
  return out;
}

// The phase of the first large entry of column c, as the op's documentation says.
inline Complex phase_of(const Matrix& x, size_t c) {
  long double greatest = 0;
  for (size_t i = 0; i < x.rows; ++i) greatest = std::max(greatest, std::norm(x(i, c)));
  for (size_t i = 0; i < x.rows; ++i) {
    if (std::norm(x(i, c)) >= 0.3L * greatest) return x(i, c) / std::abs(x(i, c));
  }
  return 1;
}

inline void turn_column(Matrix& x, size_t c, Complex by) {
  for (size_t i = 0; i < x.rows; ++i) x(i, c) *= by;
}

// Of the Hermitian part, shifted to be positive so that singular values are eigenvalues; ascending.
inline Singular eigen(const Matrix& given) {
  Matrix a = hermitian(given);
  long double shift = 1;
  for (const Complex& x : a.values) shift += std::abs(x);
  for (size_t i = 0; i < a.rows; ++i) a(i, i) += shift;
  const Singular s = singular(a);
  Singular out{Matrix(a.rows, a.rows), Matrix(a.rows, a.rows), {}};
  for (size_t c = 0; c < a.rows; ++c) {
    out.s.push_back(s.s[a.rows - 1 - c] - shift);
    for (size_t i = 0; i < a.rows; ++i) out.v(i, c) = s.v(i, a.rows - 1 - c);
    turn_column(out.v, c, std::conj(phase_of(out.v, c)));
  }
  return out;
}

inline Matrix as_column(const std::vector<long double>& values) {
  Matrix out(values.size(), 1);
  for (size_t i = 0; i < values.size(); ++i) out(i, 0) = values[i];
  return out;
}

// The array of columns [.., n, 1] as the real array [.., n] it stands for.
inline void make_values(Array& x) {
  x.shape.pop_back();
  if (x.dtype == DType::kC64) x.dtype = DType::kF32;
  if (x.dtype == DType::kC128) x.dtype = DType::kF64;
  for (ScalarValue& v : x.values) v.im = 0;
}

}  // namespace weft::suite
